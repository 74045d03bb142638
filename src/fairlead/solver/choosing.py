"""A limited number of groups, chosen and divided together: branch and bound over prices.

Spread constraints allow replicas in at most M regions (or zones, clusters, ...). For a price p of a replica,
a group g saves ``b_g = sum over its clusters of f_c(0) - min_x (f_c(x) - p x)`` against staying empty, f_c
being what x replicas cost there. Whatever the price, a placement on the set S of groups costs at least::

    sum f_c(0) - sum over S of b_g + p N

(Lagrangian relaxation of the total; H. Everett, 1963). The M groups that save most give a bound and, divided
exactly, a placement. Every other set that could be as good lies within the gap of the two, and there are few:
each is divided exactly too, and the best of all is the optimum. Bounds are rounded down to whole steps.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Moves, Spread, Total, Weights
from fairlead.models.score import score
from fairlead.models.workload import Workload
from fairlead.solver.boxes import WorkloadBox
from fairlead.solver.exact import allocate
from fairlead.solver.group_costs import ClusterCost, cluster_costs
from fairlead.solver.marginal import Box

# Bounds are compared in steps of 1 / STEPS.
STEPS = 2**40
# More sets than this are left to CP-SAT.
MOST_SETS = 400
MOST_NODES = 20_000
# Rules that tell clusters apart by weight, room, current replicas and wider group only.
PLAIN = (Candidates, Moves, Spread, Total, Weights)


@dataclass(frozen=True, slots=True)
class Choice:
    """Disjoint groups of candidates, of which at most so many may be used.

    Parameters
    ----------
    groups
        Positions of the candidates of each group.
    least, most
        Fewest and most groups that may be used.
    around
        What wider group each group lies in, as a number; all 0 where there are no wider groups.
    least_around, most_around
        Fewest and most wider groups that a set has to touch.
    """

    groups: tuple[NDArray[np.int64], ...]
    least: int
    most: int
    around: tuple[int, ...]
    least_around: int = 0
    most_around: int = 1


def choose(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Mapping[str, int] | None:
    """Place one workload that may use a limited number of groups, where that can be done exactly.

    Parameters
    ----------
    workload
        The workload.
    problem
        Where it belongs.
    boxed
        What each candidate may hold; nothing may be required of a single one.

    Returns
    -------
    mapping or None
        Replicas by cluster, optimal on every level, ties to the first by name; None where this way does not
        apply or is too long.
    """
    kept = _open(boxed)
    if not kept.names:
        return None
    choice = _choice(workload, kept)
    costs = None if choice is None else cluster_costs(workload, problem, kept)
    if choice is None or costs is None or bool(np.any(kept.box.lower)):
        return None
    likeness = _likeness(workload, kept.names, choice, costs)
    relaxation = _relax(choice, costs, kept.box, likeness)
    search = _Search(workload, problem, boxed, kept.names, choice, costs)
    for chosen in relaxation.sets(choice, lambda: search.cutoff):
        if chosen is None or not search.try_set(chosen):
            return None
    return search.best or None


def _open(boxed: WorkloadBox) -> WorkloadBox:
    """Return the box of those candidates that can hold replicas at all."""
    box = boxed.box
    kept = np.flatnonzero(box.upper > 0)
    names = tuple(boxed.names[position] for position in kept.tolist())
    return WorkloadBox(names, Box(box.lower[kept], box.upper[kept], box.total))


def _choice(workload: Workload, boxed: WorkloadBox) -> Choice | None:
    """Return what limits the number of groups: one constraint, or one on clusters and one on wider groups."""
    limits = [rule for rule in workload.rules_of(Spread) if _limits(rule)]
    clusters = [rule for rule in limits if rule.field == "cluster"]
    wider = [rule for rule in workload.rules_of(Spread) if rule.field != "cluster"]
    if len(clusters) == 1 and clusters[0].maximum and len(wider) <= 1:
        groups = tuple(np.array([position]) for position in range(len(boxed.names)))
        if not wider:
            return Choice(groups, clusters[0].minimum, clusters[0].maximum, (0,) * len(groups))
        parted = _partition(wider[0], boxed)
        if parted is None:
            return None
        around = tuple(int(number) for number in parted)
        count = max(around, default=0) + 1
        most = count if wider[0].maximum is None else wider[0].maximum
        return Choice(groups, clusters[0].minimum, clusters[0].maximum, around, wider[0].minimum, most)
    if len(limits) != 1 or not limits[0].maximum:
        return None
    parted = _partition(limits[0], boxed)
    if parted is None:
        return None
    found = tuple(np.flatnonzero(parted == number) for number in range(int(parted.max()) + 1))
    return Choice(found, limits[0].minimum, limits[0].maximum, (0,) * len(found))


def _limits(rule: Spread) -> bool:
    """Tell whether a constraint can bind from above."""
    return rule.maximum is not None and rule.maximum < sum(1 for members in rule.groups.values() if members)


def _partition(rule: Spread, boxed: WorkloadBox) -> NDArray[np.int64] | None:
    """Return the number of the group of every candidate; None where one is in none or in several."""
    numbers = np.full(len(boxed.names), -1, dtype=np.int64)
    where = {name: position for position, name in enumerate(boxed.names)}
    used = [members for members in rule.groups.values() if any(name in where for name in members)]
    for number, members in enumerate(used):
        for name in members:
            if name in where:
                if numbers[where[name]] >= 0:
                    return None
                numbers[where[name]] = number
    return None if bool(np.any(numbers < 0)) else numbers


@dataclass(frozen=True, slots=True)
class _Relaxation:
    """The bound at the best price: what all groups cost when empty, and what each saves, in steps."""

    empty: int
    saved: tuple[int, ...]
    ranked: tuple[int, ...]
    likeness: tuple[int, ...]

    def sets(self, choice: Choice, cutoff: Callable[[], int]) -> Iterator[tuple[int, ...] | None]:
        """Yield every set of groups whose bound does not exceed the cutoff, the most promising first.

        None stands for having looked at too many. Of groups that are alike the first by name are taken: a
        set with a later one instead is no better, and its placements come later among equals.
        """
        nodes = 0
        stack: list[tuple[tuple[int, ...], int, int, frozenset[int]]] = [((), 0, 0, frozenset())]
        while stack:
            chosen, saved, at, barred = stack.pop()
            nodes += 1
            if nodes > MOST_NODES:
                yield None
                return
            if self.empty - saved - self._possible(choice, chosen, at, barred) > cutoff():
                continue
            if len(chosen) == choice.most or at == len(self.ranked):
                touched = {choice.around[group] for group in chosen}
                if len(chosen) >= choice.least and len(touched) >= choice.least_around:
                    yield tuple(sorted(chosen))
                continue
            group = self.ranked[at]
            stack.append((chosen, saved, at + 1, barred | {self.likeness[group]}))
            touched = {choice.around[each] for each in chosen} | {choice.around[group]}
            if self.likeness[group] not in barred and len(touched) <= choice.most_around:
                stack.append(((*chosen, group), saved + self.saved[group], at + 1, barred))

    def _possible(self, choice: Choice, chosen: tuple[int, ...], at: int, barred: frozenset[int]) -> int:
        """Return the most that groups of lower rank can still save."""
        left = choice.most - len(chosen)
        rest = [group for group in self.ranked[at:] if self.likeness[group] not in barred]
        touched = {choice.around[group] for group in chosen}
        if len(touched) == choice.most_around:
            rest = [group for group in rest if choice.around[group] in touched]
        return sum(self.saved[group] for group in rest[:left])


def _relax(choice: Choice, costs: ClusterCost, box: Box, likeness: tuple[int, ...]) -> _Relaxation:
    """Find the price at which the groups that save most hold the total, and the bound there."""
    low, high = costs.price_range()
    for _ in range(60):
        middle = (low + high) / 2
        replicas, saving = costs.guess(middle)
        sums = np.array([saving[group].sum() for group in choice.groups])
        top = _promising(sums, choice)
        held = sum(int(replicas[choice.groups[group]].sum()) for group in top)
        low, high = (middle, high) if held < box.total else (low, middle)
    price = Fraction(high)
    empty, saved = costs.exactly(price, STEPS)
    by_group = tuple(sum(saved[position] for position in group.tolist()) for group in choice.groups)
    ranked = tuple(sorted(range(len(by_group)), key=lambda group: (-by_group[group], group)))
    bound = empty + math.floor(price * box.total * STEPS)
    return _Relaxation(bound, by_group, ranked, likeness)


def _likeness(
    workload: Workload, names: tuple[str, ...], choice: Choice, costs: ClusterCost
) -> tuple[int, ...]:
    """Return a number for every group: the same for groups of one cluster that no rule tells apart."""
    plain = all(isinstance(rule, PLAIN) for rule in workload.rules)
    numbers: dict[tuple[object, ...], int] = {}
    found = []
    for group, positions in enumerate(choice.groups):
        alike: tuple[object, ...] = (group,)
        if plain and len(positions) == 1:
            at = int(positions[0])
            held = workload.current.get(names[at], 0)
            alike = (choice.around[group], costs.quotas[at], held, int(costs.upper[at]), "one")
        found.append(numbers.setdefault(alike, len(numbers)))
    return tuple(found)


def _promising(sums: NDArray[np.float64], choice: Choice) -> list[int]:
    """Return the groups that save most, as many as may be used together."""
    found: list[int] = []
    touched: set[int] = set()
    for group in np.argsort(-sums, kind="stable").tolist():
        allowed = choice.around[group] in touched or len(touched) < choice.most_around
        if len(found) < choice.most and allowed:
            found.append(group)
            touched.add(choice.around[group])
    return found


class _Search:
    """The best placement of all sets that were divided so far."""

    def __init__(
        self,
        workload: Workload,
        problem: Problem,
        boxed: WorkloadBox,
        names: tuple[str, ...],
        choice: Choice,
        costs: ClusterCost,
    ) -> None:
        self.best: Mapping[str, int] = {}
        self.cutoff = costs.worst(STEPS)
        self._costs = costs
        self._alone = replace(problem, workloads=(workload,))
        self._workload = workload
        self._boxed = boxed
        self._names = names
        self._choice = choice
        self._rank: tuple[object, ...] | None = None
        self._tried = 0

    def try_set(self, chosen: Sequence[int]) -> bool:
        """Divide among the groups of a set; tell whether the search may go on."""
        self._tried += 1
        upper = np.zeros_like(self._boxed.box.upper)
        positions = (at for group in chosen for at in self._choice.groups[group].tolist())
        used = {self._names[position] for position in positions}
        inside = np.array([name in used for name in self._boxed.names], dtype=bool)
        upper[inside] = self._boxed.box.upper[inside]
        box = replace(self._boxed, box=Box(self._boxed.box.lower, upper, self._boxed.box.total))
        if not box.box.feasible:
            return self._tried <= MOST_SETS
        answer = allocate(self._workload, self._alone, box)
        if answer is None:
            return False
        values = tuple(level.value for level in score(self._alone, Placement({self._workload.key: answer})))
        rank = (values, tuple(-answer[name] for name in self._boxed.names))
        if self._rank is None or rank < self._rank:
            self.best, self._rank = answer, rank
            self.cutoff = min(self.cutoff, self._costs.steps(answer, self._names, STEPS))
        return self._tried <= MOST_SETS
