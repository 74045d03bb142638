"""Least costs of all placements of a batch where some workloads are no boxes, level by level."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from fairlead.models.check import violations_of
from fairlead.models.levels import CLUSTERS, DEVIATIONS, NET, Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Aggregated, Candidates, Spread, Tiers, Weights
from fairlead.models.score import levels_of, value_of
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import among
from fairlead.solver.answers.attainment import LevelProof
from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Batch, Whole, batch_of, tight
from fairlead.solver.batch.costs import BatchLevel, costs_of
from fairlead.solver.batch.dual.bound import ranges
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.mixed.approximations import BoxApproximation, Owners, Totals, divided, outer
from fairlead.solver.batch.mixed.cardinality import Dual, GroupLimitedRows, PricedBound
from fairlead.solver.batch.mixed.columns import fitting
from fairlead.solver.batch.model import Prices, model_of
from fairlead.solver.running.deadline import Deadline

Values = Mapping[Level, int | Fraction]
"""Values of the settled levels, each in its unit."""


@dataclass(frozen=True, slots=True, eq=False)
class RelaxedBatch:
    """A batch whose boxes are wider than the workloads.

    Beyond is, by level, what the workloads cost at least beyond the boxes. Owners are workloads by box, rows
    those of the boxes by workload.
    """

    part: Problem
    batch: Batch
    costs: Mapping[Level, BatchLevel]
    beyond: Mapping[Level, int | Fraction]
    owners: Owners
    rows: Mapping[str, tuple[int, ...]]

    @classmethod
    def of(cls, part: Problem, totals: Totals) -> "RelaxedBatch":
        """Widen every workload; what overflow tiers hold is given where it is known."""
        found = {workload.key: outer(workload, part, totals) for workload in part.workloads}
        batch = batch_of(among(part, [box for each in found.values() for box in each.boxes], part.limits))
        owners = {box.key: key for key, each in found.items() for box in each.boxes}
        rows: dict[str, tuple[int, ...]] = {}
        for row, key in enumerate(batch.keys):
            rows[owners[key]] = (*rows.get(owners[key], ()), row)
        costs = {cost.level: cost for cost in costs_of(batch)}
        return cls(part, batch, costs, _sums(found.values()), owners, rows)

    def steps(self, level: Level, value: int | Fraction) -> int:
        """Return the most that boxes may cost on a level, in steps, where the workloads cost so much."""
        cost = self.costs[level]
        return int((value - self.beyond.get(level, 0) - cost.constant) * cost.scale // 1)

    def within(self, values: Values) -> "RelaxedBatch":
        """Return boxes that leave out what costs more than levels may cost, nothing shared looked at.

        Where a level is at its least, that says where replicas stand; a price would have to be without end.
        """
        batch = self.batch
        for level, value in values.items():
            if level in self.costs and batch.feasible:
                model = model_of(batch, self.costs[level])
                free = Prices.none(model)
                rows = relax(model, free).rows
                lower, upper = tight(*ranges(model, free, rows, self.steps(level, value)), batch.totals)
                batch = replace(batch, lower=lower, upper=upper)
        return replace(self, batch=batch)

    def fewest(self, key: str) -> int:
        """Return how many clusters a workload needs at least, all capacity for itself."""
        return sum(self._fewest_of(row) for row in self.rows.get(key, ()))

    def _fewest_of(self, row: int) -> int:
        """Return how many clusters a row needs at least."""
        batch = self.batch
        held = batch.lower[row] > 0
        left = int(batch.totals[row] - batch.upper[row][held].sum())
        if left <= 0:
            return int(held.sum())
        room = np.cumsum(np.sort(batch.upper[row][~held])[::-1])
        return int(held.sum()) + int(np.searchsorted(room, left)) + 1


def _sums(found: Iterable[BoxApproximation]) -> dict[Level, int | Fraction]:
    """Add up what workloads cost beyond their boxes."""
    sums: dict[Level, int | Fraction] = {}
    for each in found:
        for level, cost in each.beyond.items():
            sums[level] = sums.get(level, 0) + cost
    return sums


@dataclass(slots=True, eq=False)
class RelaxedBounds:
    """Bounds of all levels, each with the levels before it pinned to what a placement attains."""

    part: Problem
    deadline: Deadline = field(init=False, default_factory=Deadline)
    wide: RelaxedBatch = field(init=False)
    tiered: RelaxedBatch | None = field(init=False, default=None)
    known: dict[str, list[int]] = field(init=False, default_factory=dict)
    narrow: tuple[Values, RelaxedBatch] | None = field(init=False, default=None)
    priced: dict[Level, tuple[Values, PricedBound]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.wide = RelaxedBatch.of(self.part, {})

    @property
    def infeasible(self) -> bool:
        """Whether even the boxes cannot be divided."""
        return not self.wide.batch.feasible

    def guess(self, deadline: Deadline) -> dict[str, dict[str, int]] | None:
        """Return the replicas of boxes with limited groups, if every level reaches its bound.

        Each keeps its rules and is about the best at the prices, and all fit together as far as that is seen.
        """
        self.deadline = deadline.part(tuning.SHARE_OF_GUESS)
        values: dict[Level, int | Fraction] = {}
        last: Level | None = None
        for level in levels_of(self.part):
            bound, _ = self.bound(level, values)
            if level in self.priced and (last is None or level.base in (NET, *DEVIATIONS)):
                last = level
            values[level] = bound
        if last is None:
            return None
        before, priced = self.priced[last]
        return fitting(self._dual(last, before), priced, self._keeps, deadline)

    def _keeps(self, key: str, placed: Mapping[str, int]) -> bool:
        """Tell whether a workload keeps its own rules; boxes for single tiers are none."""
        workload = self.part.workload_by_key.get(key)
        return workload is not None and not any(violations_of(workload, placed))

    def notes(self, placement: Placement, deadline: Deadline) -> list[LevelProof]:
        """Return how far every level got where a placement has been found."""
        self.deadline = deadline
        levels = levels_of(self.part)
        values = {level: value_of(self.part, placement, level) for level in levels}
        found = []
        for number, level in enumerate(levels):
            before = {each: values[each] for each in levels[:number]}
            bound, exact = self.bound(level, before)
            proven = bound >= values[level] or (not exact and self._reaches(placement, level, before))
            found.append(LevelProof(min(bound, values[level]), proven, exact))
        return found

    def _reaches(self, placement: Placement, level: Level, before: Values) -> bool:
        """Tell whether a placement costs no more than the bound of a level in steps, which are rounded."""
        view = self.view(before)
        boxes = view.batch.problem
        stands = divided(placement, boxes.workloads, view.owners)
        told = value_of(boxes, stands, level) + view.beyond.get(level, 0)
        if level not in self.priced or told != value_of(self.part, placement, level):
            return False
        steps = view.costs[level].steps(view.batch.matrix(stands))
        return steps <= self._dual(level, before).bound(self.priced[level][1])

    def bound(self, level: Level, before: Values) -> tuple[int | Fraction, bool]:
        """Return the least cost of a level with those before it pinned, and whether that is exact."""
        if level.base == CLUSTERS:
            return self._fewest(level.priority), True
        view = self.view(before)
        if level not in view.costs or not view.batch.feasible:
            return view.beyond.get(level, 0), True
        cost = view.costs[level]
        known = self.priced.get(level)
        if known is None or dict(known[0]) != dict(before):
            dual = self._dual(level, before)
            start = None if known is None else known[1].prices
            if start is not None and (
                len(start.capacity) != len(view.batch.coupling.limit)
                or len(start.pins) != len(dual.model.pins)
            ):
                start = None
            self.priced[level] = (dict(before), dual.climb(start))
        dual = self._dual(level, before)
        steps = dual.bound(self.priced[level][1])
        return cost.bound(steps) + view.beyond.get(level, 0), cost.grain > 0

    def _dual(self, level: Level, before: Values) -> Dual:
        view = self.view(before)
        pins = [
            (view.costs[each], view.steps(each, value))
            for each, value in before.items()
            if each in view.costs
        ]
        model = model_of(view.batch, view.costs[level], pins)
        return Dual.of(model, self.groups(view, before), self.deadline)

    def view(self, before: Values) -> RelaxedBatch:
        """Return the boxes for a level, without what no placement holds that costs no more before it."""
        if self.narrow is None or dict(self.narrow[0]) != dict(before):
            self.narrow = dict(before), self._measured(before).within(before)
        return self.narrow[1]

    def _measured(self, before: Values) -> RelaxedBatch:
        """Return the boxes for a level: what tiers hold is known where their levels leave no choice."""
        known = self._known_totals(before)
        if not known:
            return self.wide
        if self.tiered is None or self.known != known:
            self.tiered, self.known = RelaxedBatch.of(self.part, known), known
        return self.tiered

    def _known_totals(self, before: Values) -> dict[str, list[int]]:
        """Return the replicas of tiers, by workload, where each has to be at its own least beyond them."""
        found: dict[str, list[int]] = {}
        for priority in {each.priority for each in self.part.workloads}:
            tiered = [
                each
                for each in self.part.workloads
                if each.priority == priority
                and each.rule(Tiers) is not None
                and len(self.wide.rows.get(each.key, ())) == 1
            ]
            beyond = {each.key: self._least_beyond(each) for each in tiered}
            deepest = max((len(each) for each in beyond.values()), default=0)
            levels = [Level("tiers", number, priority) for number in range(1, deepest + 1)]
            if not all(level in before for level in levels):
                continue
            sums = [
                sum(each[number] for each in beyond.values() if number < len(each))
                for number in range(deepest)
            ]
            if any(before[level] > least for level, least in zip(levels, sums, strict=True)):
                continue
            for each in tiered:
                if any(rule.tiers for rule in each.rules_of(Weights)):
                    edges = [each.replicas, *beyond[each.key], 0]
                    found[each.key] = [upper - lower for upper, lower in pairwise(edges)]
        return found

    def _least_beyond(self, workload: Workload) -> list[int]:
        """Return how many replicas stand at least beyond every tier but the last."""
        rule, batch = workload.rule(Tiers), self.wide.batch
        row = self.wide.rows[workload.key][0]
        found = []
        tiers = rule.tiers if rule else ()
        for number in range(1, len(tiers)):
            inside = frozenset().union(*tiers[:number])
            columns = np.array([name in inside for name in batch.clusters])
            room = int(batch.upper[row][columns].sum())
            outside = int(batch.lower[row][~columns].sum())
            found.append(max(outside, int(batch.totals[row]) - room))
        return found

    def groups(self, view: RelaxedBatch, before: Values) -> GroupLimitedRows:
        """Return the rows that may use a limited number of groups."""
        rows, group, most = [], [], []
        slack = self._slack(before)
        for workload in self.part.workloads:
            positions = view.rows.get(workload.key, ())
            options = [*_spreads(workload, view.batch.clusters)]
            if len(positions) == 1 and workload.rule(Aggregated) is not None and workload.priority in slack:
                fewest = self.wide.fewest(workload.key) + slack[workload.priority]
                options.append((np.arange(len(view.batch.clusters)), fewest))
            for row in positions:
                usable = view.batch.upper[row] > 0
                binding = [
                    (numbers, count)
                    for numbers, count in options
                    if count < len(np.unique(numbers[usable & (numbers >= 0)]))
                ]
                if binding:
                    numbers, count = min(
                        binding, key=lambda each: each[1] / len(np.unique(each[0][usable & (each[0] >= 0)]))
                    )
                    rows.append(row)
                    group.append(numbers)
                    most.append(count)
        shape = (len(rows), len(view.batch.clusters))
        return GroupLimitedRows(
            np.array(rows, dtype=np.int64),
            np.array(group, dtype=np.int64).reshape(shape),
            np.array(most, dtype=np.int64),
        )

    def _slack(self, before: Values) -> dict[int, int]:
        """Return, by priority, how many clusters aggregated workloads use beyond the fewest of each."""
        found: dict[int, int] = {}
        for level, value in before.items():
            if level.base == CLUSTERS:
                found[level.priority] = int(value) - self._fewest(level.priority)
        return found

    def _fewest(self, priority: int) -> int:
        """Return how many clusters the aggregated workloads of a priority use at least."""
        aggregated = (each for each in self.part.workloads if each.rule(Aggregated) is not None)
        return sum(self.wide.fewest(each.key) for each in aggregated if each.priority == priority)


def _spreads(workload: Workload, clusters: Sequence[str]) -> list[tuple[Whole, int]]:
    """Return the constraints that limit the number of disjoint groups: numbers by column, and how many."""
    candidates = workload.rule(Candidates)
    names = frozenset(candidates.names) if candidates else frozenset(clusters)
    found = []
    for rule in workload.rules_of(Spread):
        if rule.maximum is None:
            continue
        numbers = dict.fromkeys(clusters, -1)
        members = [
            (number, name)
            for number, inside in enumerate(rule.groups.values())
            for name in inside
            if name in names
        ]
        if len({name for _, name in members}) == len(members):
            numbers |= {name: number for number, name in members}
            found.append((np.array([numbers[name] for name in clusters], dtype=np.int64), rule.maximum))
    return found
