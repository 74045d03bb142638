"""The search for relaxations: the cheapest set of changes, then the next ones that change other rules."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from fairlead.models.changes.apply import apply
from fairlead.models.changes.kinds import Kind, describe_all, order
from fairlead.models.changes.manifest import fragments
from fairlead.models.changes.opening import spelled
from fairlead.models.changes.quota import followed
from fairlead.models.check import check
from fairlead.models.cluster import Taint
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Duplicated
from fairlead.models.source import Source
from fairlead.models.statement import Change, Relaxation
from fairlead.models.workload import Workload
from fairlead.solver.boxes import box_of
from fairlead.solver.components import components
from fairlead.solver.deadline import Deadline
from fairlead.solver.feasibility import BINDING, has_placement
from fairlead.solver.relaxing import excess
from fairlead.solver.relaxing.alone import quick
from fairlead.solver.relaxing.model import RelaxationModel
from fairlead.solver.relaxing.sharing import counted_once, exact_numbers

FRUITLESS = 5
"""Sets of changes that may fail the check before the search is given up."""
LONGEST = 5
"""Changes of a way out that people still read where there is another one."""
WAYS = 8
"""Ways that are tried to open a cluster to workloads of full copies that have none."""


def relaxations(problem: Problem, deadline: Deadline, seed: int, *, most: int = 3) -> tuple[Relaxation, ...]:
    """Return changes that make a problem feasible, the cheapest first; see `fairlead.models.changes.kinds`.

    Every one of them was verified: with the changes made, the problem has a placement. None changes
    all the rules that a cheaper one changes.

    Parameters
    ----------
    problem
        A problem without placement. Parts of it that have one are left alone.
    deadline
        When the answer is due; what is verified by then is returned.
    seed
        Random seed of CP-SAT.
    most
        How many are wanted.
    """
    part = _hopeless(problem, deadline, seed)
    if part is None:
        return ()
    found = _alone(part, most) or [
        _Found(changes, proven=True) for changes in excess.quick(part, deadline, seed, most)
    ]
    for first in () if found else _tolerations_of_copies(part):
        found += _search(part, first, deadline, seed, most)
    # What several starting points allow is compared here.
    chosen: list[_Found] = []
    for one in sorted(found, key=lambda each: (each.cost, len(each.changes))):
        long = bool(chosen) and len(one.changes) > LONGEST
        if not long and not any(earlier.rules <= one.rules for earlier in chosen):
            chosen.append(one)
    certain = all(one.proven for one in found)
    return tuple(_relaxation(one, problem, proven=certain and one.proven) for one in chosen[:most])


def _alone(part: Problem, most: int) -> list["_Found"]:
    """Return changes that are found without a solver."""
    ways = quick(part, most) or []
    return [_Found(changes, proven=True) for changes in ways if _fits(apply(part, changes))]


def _fits(problem: Problem) -> bool:
    """Tell whether the only workload has a placement; its rules bound single clusters and the total only."""
    (workload,) = problem.workloads
    return box_of(workload, problem, problem.limits).box.feasible


@dataclass(frozen=True, slots=True)
class _Found:
    """Changes that were verified."""

    changes: tuple[Change, ...]
    proven: bool

    @property
    def cost(self) -> int:
        """The total cost."""
        return sum(change.cost for change in self.changes)

    @property
    def rules(self) -> frozenset[tuple[str, ...]]:
        """What is changed, whatever the amounts."""
        return frozenset(
            (each.kind, each.workload or "", each.cluster or "", each.detail) for each in self.changes
        )


def _search(
    part: Problem, first: tuple[Change, ...], deadline: Deadline, seed: int, most: int
) -> Iterator[_Found]:
    """Yield changes that make a problem feasible, the cheapest first; some of them are settled before."""
    model = RelaxationModel(apply(part, first), deadline)
    given = fruitless = 0
    proven = True
    while given < most and fruitless < FRUITLESS:
        solution = model.run(deadline, seed)
        if solution is None:
            return
        proven = proven and solution.certain
        changes = followed(tuple(sorted((*first, *solution.changes), key=order)), part)
        if changes and _is_verified(apply(part, changes), solution.placement, deadline, seed):
            given += 1
            yield _Found(changes, proven)
        else:
            fruitless, proven = fruitless + 1, False
        if not solution.support:
            return
        model.exclude(solution.support)


def _is_verified(problem: Problem, placement: Placement, deadline: Deadline, seed: int) -> bool:
    """Tell whether a problem has a placement: the one that was found by the way, or any other."""
    return not check(problem, placement) or has_placement(problem, deadline, seed) is True


def _hopeless(problem: Problem, deadline: Deadline, seed: int) -> Problem | None:
    """Return the parts without placement as one problem, preferences left out; None where there is none."""
    bare = replace(problem, workloads=tuple(_binding(each) for each in problem.workloads), partial=False)
    if len(bare.workloads) == 1:
        return bare
    # Workloads that would share a cluster once taints are tolerated belong together.
    wide = replace(bare, workloads=tuple(_reaching(each) for each in bare.workloads))
    parts = [_within(bare, part) for part in components(wide)]
    if len(parts) == 1:
        return bare
    hopeless = [part for part in parts if has_placement(part, deadline, seed) is False]
    keys = {workload.key for part in _tied(hopeless, parts) for workload in part.workloads}
    return _within(bare, keys) if keys else None


def _tied(hopeless: Sequence[Problem], parts: Sequence[Problem]) -> list[Problem]:
    """Return parts, and those for which the same exact numbers of a policy count."""
    found = list(hopeless)
    numbers = {id(part): exact_numbers(part) for part in parts}
    left = [part for part in parts if not any(part is each for each in found)]
    for part in found:
        # What is added here is looked at in turn.
        shares = numbers[id(part)]
        found += [each for each in left if not shares.isdisjoint(numbers[id(each)])]
        left = [each for each in left if shares.isdisjoint(numbers[id(each)])]
    return found


def _within(problem: Problem, part: Problem | set[str]) -> Problem:
    """Return some workloads of a problem."""
    keys = set(part.workload_by_key) if isinstance(part, Problem) else part
    return replace(problem, workloads=tuple(each for each in problem.workloads if each.key in keys))


def _reaching(workload: Workload) -> Workload:
    """Return a workload to which every cluster is open that only taints keep closed."""
    rule = workload.rule(Candidates)
    if rule is None:
        return workload
    names = tuple(sorted((*rule.names, *(name for name, each in rule.excluded.items() if each.taints))))
    rules = tuple(replace(rule, names=names) if each is rule else each for each in workload.rules)
    return replace(workload, rules=rules)


def _binding(workload: Workload) -> Workload:
    """Return a workload with the rules that must hold only."""
    rules = tuple(
        replace(rule, preferred=False) if isinstance(rule, Bounds) else rule
        for rule in workload.rules
        if isinstance(rule, BINDING)
    )
    return replace(workload, rules=rules, groups=())


def _tolerations_of_copies(problem: Problem) -> Iterator[tuple[Change, ...]]:
    """Yield ways to open a cluster to every workload of full copies that has none; one empty way if all do.

    A candidate more is a copy more, so nothing else opens clusters to such workloads.
    """
    ways: list[list[tuple[Change, ...]]] = []
    for workload in problem.workloads:
        rule = workload.rule(Candidates) or Candidates(())
        if workload.rule(Duplicated) is not None and workload.replicas and not rule.names:
            sets = {tuple(sorted(each.taints)): each.source for each in rule.excluded.values() if each.taints}
            ordered = sorted(sets, key=lambda taints: (len(taints), taints))[:WAYS]
            ways.append([_tolerate(workload, taints, sets[taints]) for taints in ordered])
    for chosen in islice(product(*ways), WAYS):
        yield counted_once((change for way in chosen for change in way), problem)


def _tolerate(workload: Workload, taints: tuple[Taint, ...], source: Source | None) -> tuple[Change, ...]:
    """Return changes that tolerate taints."""
    return tuple(
        Change(Kind.TOLERATION, workload.key, None, spelled(taint), 0, 1, 1, source) for taint in taints
    )


def _relaxation(found: _Found, problem: Problem, *, proven: bool) -> Relaxation:
    """Put changes into words."""
    changes = found.changes
    named = len(problem.workloads) > 1
    text = describe_all(changes, named=named)
    return Relaxation(
        text if proven else f"{text} (perhaps not the cheapest way)",
        found.cost,
        next((change.source for change in changes if change.source), None),
        changes,
        fragments(changes, problem),
        proven,
    )
