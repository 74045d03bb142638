"""Ways out of one problem in which every workload has its affinity group: the cheapest sets of changes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from fairlead.models.check import check
from fairlead.models.cluster import Taint
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Duplicated
from fairlead.models.source import Source
from fairlead.models.statement import Change
from fairlead.models.workload import Workload
from fairlead.solver.boxes import box_of
from fairlead.solver.changes.apply import apply
from fairlead.solver.changes.kinds import Kind, order, sentences
from fairlead.solver.changes.opening import spelled
from fairlead.solver.changes.quota import followed
from fairlead.solver.deadline import Deadline
from fairlead.solver.feasibility import has_placement
from fairlead.solver.relaxing import excess
from fairlead.solver.relaxing.alone import quick
from fairlead.solver.relaxing.model import RelaxationModel
from fairlead.solver.relaxing.sharing import counted_once, for_all, spoils

FRUITLESS = 5
"""Sets of changes that may fail the check before the search is given up."""
SIMPLE = 3
"""Changes of a way out that people still read where there is another one."""
WAYS = 8
"""Ways that are tried to open a cluster to workloads of full copies that have none."""


@dataclass(frozen=True, slots=True)
class Way:
    """Changes that were verified.

    Parameters
    ----------
    changes
        The changes, in order.
    proven
        True where nothing cheaper exists.
    """

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

    @property
    def rank(self) -> tuple[bool, int, int, list[tuple[int, str, str, str]]]:
        """Return what to sort ways by: those that are simple enough to read first, then by cost."""
        said = sentences(self.changes)
        # To give up replicas here and there is a long way to go, also where it is said in one breath.
        fewer = sum(1 for change in self.changes if change.kind == Kind.REPLICAS)
        return max(said, fewer) > SIMPLE, self.cost, said, [order(change) for change in self.changes]


def chosen(found: Sequence[Way], most: int) -> list[Way]:
    """Return the best ways; none changes all that a better one does, and no long one follows another."""
    kept: list[Way] = []
    for one in sorted(found, key=lambda each: each.rank):
        long = bool(kept) and one.rank[0]
        if not long and not any(earlier.rules <= one.rules for earlier in kept):
            kept.append(one)
    return kept[:most]


def ways(part: Problem, deadline: Deadline, seed: int, most: int, *, modelled: bool = True) -> list[Way]:
    """Return changes that make a problem feasible, the cheapest first.

    Parameters
    ----------
    part
        A problem without placement, in which every workload has its group, preferences left out.
    deadline
        When the answer is due; what is verified by then is returned.
    seed
        Random seed of CP-SAT.
    most
        How many are wanted.
    modelled
        False makes no model of everything, which takes long for many workloads.
    """
    found = _alone(part, most) or [
        Way(changes, proven=True) for changes in excess.quick(part, deadline, seed, most)
    ]
    for first in () if found or not modelled else _tolerations_of_copies(part):
        found += _search(part, first, deadline, seed, most)
    certain = all(one.proven for one in found)
    return chosen([Way(one.changes, certain and one.proven) for one in found], most)


def is_verified(problem: Problem, placement: Placement | None, deadline: Deadline, seed: int) -> bool:
    """Tell whether a problem has a placement: the one that was found by the way, or any other."""
    if placement is not None and not check(problem, placement):
        return True
    return has_placement(problem, deadline, seed) is True


def _alone(part: Problem, most: int) -> list[Way]:
    """Return changes that are found without a solver."""
    found = quick(part, most) or []
    return [Way(changes, proven=True) for changes in found if _fits(apply(part, changes))]


def _fits(problem: Problem) -> bool:
    """Tell whether the only workload has a placement; its rules bound single clusters and the total only."""
    (workload,) = problem.workloads
    return box_of(workload, problem, problem.limits).box.feasible


def _search(
    part: Problem, first: tuple[Change, ...], deadline: Deadline, seed: int, most: int
) -> Iterator[Way]:
    """Yield changes that make a problem feasible, the cheapest first; some of them are settled before.

    Where the cheapest way pulls many levers, ways of few levers follow, which people can read.
    """
    model = RelaxationModel(apply(part, first), deadline)
    given = fruitless = 0
    proven, few = True, False
    while given < most and fruitless < FRUITLESS:
        solution = model.run(deadline, seed)
        if solution is None:
            return
        proven = proven and solution.certain
        shared = for_all((*first, *solution.changes), part.workloads, part)
        changes = followed(tuple(sorted(shared, key=order)), part)
        spoilt = spoils(changes, part.workloads, part)
        if changes and not spoilt and is_verified(apply(part, changes), solution.placement, deadline, seed):
            given += 1
            yield Way(changes, proven)
        else:
            fruitless, proven = fruitless + 1, False
        if not solution.support:
            return
        model.exclude(solution.support)
        if not few and len(solution.support) > SIMPLE:
            model.pull_at_most(SIMPLE)
            few = True


def _tolerations_of_copies(problem: Problem) -> Iterator[tuple[Change, ...]]:
    """Yield ways to open a cluster to every workload of full copies that has none; one empty way if all do.

    A candidate more is a copy more, so nothing else opens clusters to such workloads.
    """
    every: list[list[tuple[Change, ...]]] = []
    for workload in problem.workloads:
        rule = workload.rule(Candidates) or Candidates(())
        if workload.rule(Duplicated) is not None and workload.replicas and not rule.names:
            sets = {tuple(sorted(each.taints)): each.source for each in rule.excluded.values() if each.taints}
            ordered = sorted(sets, key=lambda taints: (len(taints), taints))[:WAYS]
            every.append([_tolerate(workload, taints, sets[taints]) for taints in ordered])
    for chosen_ways in islice(product(*every), WAYS):
        yield counted_once((change for way in chosen_ways for change in way), problem)


def _tolerate(workload: Workload, taints: tuple[Taint, ...], source: Source | None) -> tuple[Change, ...]:
    """Return changes that tolerate taints."""
    return tuple(
        Change(Kind.TOLERATION, workload.key, None, spelled(taint), 0, 1, 1, source) for taint in taints
    )
