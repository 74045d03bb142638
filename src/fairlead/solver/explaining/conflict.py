"""The conflict of one problem: minimal, the smallest where that can be proven in time, and verified."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from fairlead.models.cluster import Taint
from fairlead.models.errors import InternalError
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates
from fairlead.models.rules.candidates import Cause
from fairlead.models.statement import Conflict, Proof, Relaxation
from fairlead.models.variants import binding, with_rules, with_workload
from fairlead.models.words import listed
from fairlead.models.workload import Workload
from fairlead.solver.changes.open_clusters import may_be_untold, tolerating
from fairlead.solver.conflicts.alone import alone
from fairlead.solver.conflicts.closed_form import closed_form
from fairlead.solver.conflicts.hitting_set import ConflictSearch, Oracle, OutOfTime
from fairlead.solver.conflicts.scarcity import FoundConflict, excess_of, scarce
from fairlead.solver.conflicts.subset import UnitJudge, only
from fairlead.solver.conflicts.units import Unit, is_over, units_of
from fairlead.solver.conflicts.witnesses import filled, witnessed
from fairlead.solver.conflicts.wording import Contradiction, cause_of, shortened, told
from fairlead.solver.feasibility import has_placement
from fairlead.solver.groups.choices import choices, is_shut
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search

SHARE_OF_ONE = 0.5
"""Part of the time for a conflict that may be spent on looking for it; the rest verifies it."""
SHARE_OF_WITNESSES = 0.3
"""Part of the time for a conflict for simple placements that show which units cannot be spared."""
MOST_SEARCHED = 200
"""Units up to which a smaller conflict is looked for where a minimal one over something scarce is known."""
VERIFIED_LATE = 2_000
"""Units times clusters of a single workload up to which a conflict is verified although time is over."""
LONGEST_UNVERIFIED = 20
"""Rules of a conflict that time did not suffice to narrow down: more of them help nobody."""


def conflict_in(problem: Problem, search: Search) -> Contradiction | None:
    """Return a verified conflict of a problem without any placement; None where nothing is known in time."""
    if len(problem.workloads) > 1 and not search.deadline.remaining():
        # Only of a single workload anything is known without a search.
        return None
    units = units_of(problem)
    found = find(problem, units, search)
    if found is None:
        return None
    conflict = [units[at] for at in found.units]
    statements = told(conflict, problem)
    unsure = found.proof is Proof.UNVERIFIED and not _adds_up(conflict, problem)
    if unsure and len(statements) > LONGEST_UNVERIFIED:
        return None
    keys = {unit.workload for unit in conflict}
    about = tuple(each for each in problem.workloads if each.key in keys) or problem.workloads
    said = shortened(statements, problem)
    return Contradiction(said, found.proof, about, cause=cause_of(conflict, problem))


def _adds_up(conflict: Sequence[Unit], problem: Problem) -> bool:
    """Tell whether adding up shows that a conflict has no placement, though perhaps with less as well."""
    if _is_excessive(problem, conflict):
        return True
    alone = problem.workloads if len(problem.workloads) == 1 else ()
    return any(closed_form(workload, problem, conflict) is not None for workload in alone)


def _is_excessive(problem: Problem, units: Sequence[Unit]) -> bool:
    """Tell whether units ask for more than others of them have or allow."""
    return excess_of(problem, units) is not None or is_over(problem, units)


def find(problem: Problem, units: Sequence[Unit], search: Search) -> FoundConflict | None:
    """Return the positions of the units of a conflict, and what is proven of it.

    `problem`: a problem without any placement.
    """
    found = known = _seen(problem, units, search.deadline)
    large = len(problem.workloads) > 1 and len(units) > MOST_SEARCHED
    if found is not None and large and found.adds_up:
        return replace(found, proof=Proof.MINIMAL)
    broken: Sequence[frozenset[int]] = ()
    if found is not None and found.proof is not Proof.SMALLEST:
        seen = witnessed(problem, units, found.units, search.deadline.part(SHARE_OF_WITNESSES))
        if seen.unavoidable.issuperset(found.units):
            found = replace(found, proof=Proof.SMALLEST)
        elif seen.needed.issuperset(found.units):
            found = replace(found, proof=Proof.MINIMAL)
        if found.proof is Proof.SMALLEST or (large and found.proof is Proof.MINIMAL):
            return _confirmed(found, problem, units, seen.broken, search)
        broken = seen.broken if seen.complete else ()
    if found is None or found.proof is not Proof.SMALLEST:
        try:
            inside = ConflictSearch(Oracle(problem, units, search.part(SHARE_OF_ONE)), list(broken))
            minimal = None if found is None or found.proof is Proof.UNVERIFIED else found.units
            found, broken = inside.find(minimal) or found, inside.broken
        except OutOfTime:
            pass
    if found is not None and known is not None and known.adds_up and found.units == known.units:
        return found
    return _confirmed(found, problem, units, broken, search)


def _seen(problem: Problem, units: Sequence[Unit], deadline: Deadline) -> FoundConflict | None:
    """Return a conflict that is seen without a solver: of one workload, or over something scarce."""
    if len(problem.workloads) == 1:
        return closed_form(problem.workloads[0], problem, units)
    return scarce(problem, units) if deadline.remaining() else None


def _confirmed(
    found: FoundConflict | None,
    problem: Problem,
    units: Sequence[Unit],
    broken: Sequence[frozenset[int]],
    search: Search,
) -> FoundConflict | None:
    """Return a conflict as it was found where that can be verified, else as unverified."""
    if found is None or found.proof is Proof.UNVERIFIED:
        return found
    conflict = [units[at] for at in found.units]
    if verified(problem, conflict, _spared(found, broken), search):
        return found
    return FoundConflict(found.units, Proof.UNVERIFIED)


def _spared(found: FoundConflict, broken: Sequence[frozenset[int]]) -> frozenset[int]:
    """Return which units of a conflict are the only ones of it that some placement breaks."""
    inside = frozenset(found.units)
    met = (each & inside for each in broken)
    only_ones = {next(iter(each)) for each in met if len(each) == 1}
    return frozenset(at for at, unit in enumerate(found.units) if unit in only_ones)


def verified(problem: Problem, units: Sequence[Unit], spared: frozenset[int], search: Search) -> bool:
    """Tell whether some units have no placement together, and have one without any one of them.

    False also where time ran out.

    `spared`: positions of those of which a placement was seen that breaks them and none of the others, judged
    by the meaning of the rules.

    Raises `InternalError` where all of them have a placement together: a bug in fairlead or in the solver.
    """
    together = False if _is_excessive(problem, units) else has_placement(only(problem, units), search)
    if together:
        raise InternalError("rules that were called a conflict have a placement")
    if together is None:
        return False
    judge = UnitJudge(problem, units)
    # Of a single workload this mostly takes milliseconds, and nothing else is known of it.
    late = len(problem.workloads) == 1 and len(units) * len(problem.clusters) <= VERIFIED_LATE
    for at in range(len(units)):
        rest = [*units[:at], *units[at + 1 :]]
        if at in spared:
            continue
        if not late and not search.deadline.remaining():
            return False
        kept = _is_kept_simply(problem, rest, judge, at)
        if not kept and not has_placement(only(problem, rest), search):
            return False
    return True


def _is_kept_simply(problem: Problem, rest: Sequence[Unit], judge: UnitJudge, left_out: int) -> bool:
    """Tell whether filling one cluster after the other keeps all units but the one that is left out."""
    if len(problem.workloads) != 1:
        return False
    return judge.broken(filled(problem, rest)) <= {left_out}


def advice(
    problem: Problem, conflicts: Sequence[Conflict], ways: Sequence[Relaxation], search: Search
) -> Iterator[str]:
    """Yield advice for workloads that none of the ways out is for.

    `search`: where time is left, all ways out were looked for.
    """
    about = {key for each in conflicts for key in each.workloads}
    left = ways[0].without if ways else sorted(about)
    stuck = [problem.workload_by_key[key] for key in left if key in about]
    in_time = search.deadline.remaining() > 0
    told = [each for each in stuck if is_shut(each) or (in_time and (may_be_untold(each) or _is_empty(each)))]
    yield from _of_shut(told)
    others = [each for each in stuck if each not in told]
    if others and not in_time:
        names = listed([each.key for each in others], "workload")
        yield f"No way out for {names} was found in time: raise the time limit."
        return
    closed = {each.key: text for each in others if (text := _once_tolerated(each, problem, search))}
    yield from closed.values()
    keys = [each.key for each in others if each.key not in closed]
    if keys:
        needed = all(each.proof is not Proof.UNVERIFIED for each in conflicts)
        these = "one of these rules" if needed else "some of these rules"
        yield f"No change of numbers is known that helps {listed(keys, 'workload')}: remove {these}."


def _is_empty(workload: Workload) -> bool:
    """Tell whether only a maximum of 0 keeps the copies of a workload off some cluster."""
    rule = workload.rule(Candidates) or Candidates(())
    return not rule.openable and any(each.cause is Cause.NO_COPY for each in rule.excluded.values())


def _once_tolerated(workload: Workload, problem: Problem, search: Search) -> str:
    """Say which rules remain in the way once taints are tolerated; empty where no taint does."""
    closing = [rule for rule in workload.rules if isinstance(rule, Candidates) and not rule.names]
    taints = sorted({taint for rule in closing for each in rule.excluded.values() for taint in each.taints})
    if not taints:
        return ""
    opened = with_rules(tolerating(workload, taints, problem), binding)
    every = [one.problem for one in choices(alone(opened, with_workload(problem, opened)))]
    if any(has_placement(one, search) is not False for one in every):
        return ""  # others are in the way
    conflict = conflict_in(every[0], search)
    if conflict is None:
        return ""
    rules = "; ".join(said.statement.text for said in conflict.said)
    enough = f"To tolerate {_named(taints)} is not enough for {workload.key}."
    return f"{enough} These rules would be in the way: {rules}."


def _of_shut(shut: Sequence[Workload]) -> Iterator[str]:
    """Yield advice for workloads that no cluster would take; for several alike it is told once."""
    alike: dict[tuple[str, str], list[str]] = {}
    for workload in shut:
        alike.setdefault(_what_helps(workload.rule(Candidates) or Candidates(())), []).append(workload.key)
    for (before, after), keys in alike.items():
        yield f"{before} {listed(keys, 'workload')}{after}"


def _what_helps(rule: Candidates) -> tuple[str, str]:
    """Return advice where no cluster is open: the words before the workloads and behind them."""
    why: dict[Cause, list[str]] = {}
    for name, each in rule.excluded.items():
        why.setdefault(each.cause, []).append(name)
    names = {cause: listed(found, "cluster") for cause, found in why.items()}
    tainted = {name: each.spoiling for name, each in rule.excluded.items() if each.spoiling}
    if Cause.UNWEIGHABLE in why and not rule.openable:
        return (
            f"The capacity of {names[Cause.UNWEIGHABLE]} is unknown, so that",
            " cannot be divided by it: have it reported, or use static weights.",
        )
    if tainted:
        fewest = min(tainted.values(), key=lambda taints: (len(taints), _spelled(taints)))
        opened = [name for name, taints in tainted.items() if set(taints) <= set(fewest)]
        return (
            f"Tolerating {_named(fewest)} would open {listed(opened, 'cluster')} to",
            ". How many replicas would run there cannot be said yet: change the policy and solve again.",
        )
    if Cause.NO_COPY in why:
        return f"The maximum of {names[Cause.NO_COPY]} is 0 for", ": raise it."
    if Cause.REPORTED in why:
        source = rule.excluded[why[Cause.REPORTED][0]].source
        told = f", as annotation {source.annotation} tells" if source is not None else ""
        return (
            f"{names[Cause.REPORTED]} cannot run any of",
            f"{told}: make room there, or remove the annotation.",
        )
    if Cause.NO_WEIGHT in why:
        have, one = ("has", "it") if len(why[Cause.NO_WEIGHT]) == 1 else ("have", "one of them")
        return f"{names[Cause.NO_WEIGHT]} {have} no weight above 0 for", f": give {one} a weight."
    return (
        "No change of numbers or tolerations opens a cluster to",
        ": let the policy select another cluster, or add one that it selects.",
    )


def _named(taints: Sequence[Taint]) -> str:
    """Return some taints in words."""
    return f"the taint{'s' * (len(taints) > 1)} {listed(_spelled(taints))}"


def _spelled(taints: Iterable[Taint]) -> list[str]:
    """Return taints as kubectl writes them, in order."""
    return sorted(taint.spelled for taint in taints)
