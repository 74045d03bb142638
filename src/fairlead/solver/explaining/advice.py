"""What helps workloads that no way out is for: no number that would have to change, but a sentence."""

from collections.abc import Iterable, Iterator, Sequence

from fairlead.models.cluster import Taint
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates
from fairlead.models.rules.candidates import Cause
from fairlead.models.statement import Conflict, Proof, Relaxation
from fairlead.models.variants import binding, with_rules, with_workload
from fairlead.models.words import listed
from fairlead.models.workload import Workload
from fairlead.solver.changes.opening import may_be_untold, tolerating
from fairlead.solver.conflicts.alone import alone
from fairlead.solver.explaining.conflict import conflict_in
from fairlead.solver.feasibility import has_placement
from fairlead.solver.groups.choices import choices, is_shut
from fairlead.solver.running.deadline import Deadline


def advice(
    problem: Problem,
    conflicts: Sequence[Conflict],
    ways: Sequence[Relaxation],
    deadline: Deadline,
    seed: int,
) -> Iterator[str]:
    """Yield what helps workloads that none of the ways out is for.

    `deadline`: where time is left, all ways out were looked for.
    """
    about = {key for each in conflicts for key in each.workloads}
    left = ways[0].without if ways else sorted(about)
    stuck = [problem.workload_by_key[key] for key in left if key in about]
    in_time = deadline.remaining() > 0
    told = [each for each in stuck if is_shut(each) or (in_time and (may_be_untold(each) or _is_empty(each)))]
    yield from _of_shut(told)
    others = [each for each in stuck if each not in told]
    if others and not in_time:
        names = listed([each.key for each in others], "workload")
        yield f"No way out for {names} was found in time: raise the time limit."
        return
    closed = {each.key: text for each in others if (text := _once_tolerated(each, problem, deadline, seed))}
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


def _once_tolerated(workload: Workload, problem: Problem, deadline: Deadline, seed: int) -> str:
    """Say what else stands in the way once taints are tolerated; empty where none keeps the workload off."""
    closing = [rule for rule in workload.rules if isinstance(rule, Candidates) and not rule.names]
    taints = sorted({taint for rule in closing for each in rule.excluded.values() for taint in each.taints})
    if not taints:
        return ""
    opened = with_rules(tolerating(workload, taints, problem), binding)
    every = [one.problem for one in choices(alone(opened, with_workload(problem, opened)))]
    if any(has_placement(one, deadline, seed) is not False for one in every):
        return ""  # others are in the way
    conflict = conflict_in(every[0], deadline, seed)
    if conflict is None:
        return ""
    rules = "; ".join(said.statement.text for said in conflict.said)
    enough = f"To tolerate {_named(taints)} is not enough for {workload.key}."
    return f"{enough} These rules would be in the way: {rules}."


def _of_shut(shut: Sequence[Workload]) -> Iterator[str]:
    """Yield what helps workloads that no cluster would take; what helps several alike is told once."""
    alike: dict[tuple[str, str], list[str]] = {}
    for workload in shut:
        alike.setdefault(_what_helps(workload.rule(Candidates) or Candidates(())), []).append(workload.key)
    for (before, after), keys in alike.items():
        yield f"{before} {listed(keys, 'workload')}{after}"


def _what_helps(rule: Candidates) -> tuple[str, str]:
    """Return what helps where no cluster is open: what is said before the workloads and behind them."""
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
