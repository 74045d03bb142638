"""State of the search between levels; bounds and ranges told by prices of filled clusters."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import takewhile

import numpy as np

from fairlead.encoders.encoding import Encoding, Filled
from fairlead.encoders.scale import Held
from fairlead.encoders.variables import Interval, Place, PlaceSet, replicas_at
from fairlead.models.levels import BALANCE, DEVIATIONS, Level
from fairlead.models.outcome import Attained
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.score import follows_balance, levels_of, value_of
from fairlead.models.shortfall import refused
from fairlead.models.usage import Row
from fairlead.solver.answers.attainment import Apart, Least, LevelProof
from fairlead.solver.columns.branching import FEW_PARTS, PARTS, BoundQuery, Branches, branches_of
from fairlead.solver.columns.choice import Numbers
from fairlead.solver.columns.master import MixMaster
from fairlead.solver.columns.own_cost import is_own
from fairlead.solver.levels.targets import Targets
from fairlead.solver.running.deadline import Deadline

# Of the time that is left, what a bound by prices may use.
FILLING = 0.4
# The same, what leaving out may use that prices tell of.
NARROWING = 0.1
# Of a step, what costs that are whole steps need not be bounded by.
ALMOST = Fraction(1023, 1024)
# Of a tolerance, how near to a bound is looked for: the better the bound, the more room for later levels.
CLOSE = 0.25
# Workloads times clusters from which on prices are asked before a search.
PRICED_EARLY = 100


@dataclass(slots=True)
class LevelBounds:
    """State between levels: the best placement, ranges of replicas, pins and bounds."""

    problem: Problem
    deadline: Deadline
    workers: int
    seed: int
    relaxed: tuple[Attained, ...] = ()
    apart: Apart = field(default_factory=dict)
    best: Placement | None = None
    floor: Placement | None = None
    near: Placement | None = None
    start: Placement | None = None
    outline: Encoding | None = None
    ranges: dict[Place, Interval] = field(default_factory=dict)
    pins: list[tuple[Level, int]] = field(default_factory=list)
    pinned_apart: dict[Level, dict[str, int]] = field(default_factory=dict)
    fixed: list[tuple[PlaceSet, int]] = field(default_factory=list)
    held: Held | None = None
    restricted: bool = False
    notes: list[LevelProof] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)
    targets: Targets = field(default_factory=dict)
    later: Deadline | None = None
    elsewhere: Least = field(default_factory=dict)
    levels: tuple[Level, ...] = field(init=False)
    polished: Placement | None = None
    priced: dict[Level, Fraction] = field(default_factory=dict)
    branches: dict[Level, Branches] = field(default_factory=dict)
    tried: bool = False

    def __post_init__(self) -> None:
        self.levels = levels_of(self.problem)

    def _in_time(self) -> bool:
        """Tell whether there is time left."""
        return self.deadline.remaining() > 0

    def is_over(self, level: Level) -> bool:
        """Tell whether there is no time left for a level, as one after balance is due earlier."""
        return self._due(level).remaining() == 0

    def _due(self, level: Level) -> Deadline:
        """Return when a level is due."""
        later = self.later
        return self.deadline if later is None or not follows_balance(level, self.problem) else later

    def _is_better(self, encoding: Encoding, found: Placement, level: Level | None) -> bool:
        """Tell whether a placement keeps all pins and beats the best one on a level."""
        if any(encoding.levels[pinned].steps(found) > steps for pinned, steps in self.pins):
            return False
        if self.best is None:
            return True
        if not (all(encoding.levels[pinned].exact for pinned, _ in self.pins) or self._keeps(found)):
            return False
        if level is None:
            return True
        cost = encoding.levels[level]
        return cost.steps(found) < cost.steps(self.best)

    def _keeps(self, placement: Placement) -> bool:
        """Tell whether a placement is as good as was proven exactly, where models count in coarser steps."""
        return all(
            value_of(self.problem, placement, level) <= (note.bound or 0) + note.tolerance
            for level, note in zip(self.levels, self.notes, strict=False)
            if note.proven and (note.exact or note.tolerance)
        )

    def _is_inside(self, placement: Placement) -> bool:
        """Tell whether the model can express a placement: every number lies in the range of its place."""
        return all(
            known.lower <= replicas_at(placement, place) <= known.upper
            for place, known in self.ranges.items()
        )

    def _is_priced_first(self, level: Level) -> bool:
        """Tell whether prices are asked before a search: of balance, and of deviations then."""
        follows = level.base in DEVIATIONS and self._is_after_balance
        return self._is_large() and (level in self.targets or follows)

    def _price_first(self, level: Level) -> None:
        """Ask prices before a search, if they are asked by then; of moves after balance only for lines."""
        if self._is_priced_first(level):
            self._price(level, PARTS if self.tried else FEW_PARTS)
        elif self._is_after_balance and self._is_large():
            self._price(level, 1, dives=False)

    @property
    def _is_after_balance(self) -> bool:
        """Whether balance is pinned."""
        return any(level == BALANCE for level, _ in self.pins)

    def _is_large(self) -> bool:
        """Tell whether prices are asked early."""
        return len(self.problem.workloads) * len(self.problem.clusters) >= PRICED_EARLY

    def _price_between(self, level: Level, *, settled: bool) -> None:
        """Ask prices between two searches of a level that has to be best."""
        if not settled and level not in self.targets and self._is_large():
            self._price(level)

    def _price(self, level: Level, parts: int = PARTS, *, dives: bool = True) -> None:
        """Bound a level by prices of what is filled, where that is known how to do, and fill it better."""
        rules = self.problem.balances or ()
        if self.best is None or self.outline is None or len(rules) != 1:
            return
        pins = self._pinned(self.outline)
        if level != BALANCE and (BALANCE not in pins or not is_own(level)):
            return
        aims = {each: self.outline.levels[each].value(steps) for each, steps in self.pins if each in pins}
        asked = BoundQuery(level, partial(self._wanted, level), pins, aims, parts, self.held, dives)
        known = self.branches.get(level)
        branches = branches_of(rules[0], self.problem, self.best, self.apart, self.ranges, asked, known)
        if branches is None:
            return
        self.branches[level] = branches
        branches.search(asked, self.deadline.part(FILLING))
        if level in self.targets and (branches.bound or 0) >= asked.wanted(None):
            closer = replace(asked, wanted=partial(self._wanted, level, part=CLOSE))
            branches.search(closer, self.deadline.part(FILLING * CLOSE))
        found = branches.bound
        if found is None:
            return
        cost = self.outline.levels[level]
        if cost.exact:
            found = cost.value(math.ceil((found - cost.constant) * cost.scale))
        found = max(found, self.priced.get(level, found))
        self.priced[level] = found
        if level in self.targets:
            self.targets = {**self.targets, level: self.targets[level].raised(found)}

    def _narrow_at_prices(self, level: Level, steps: int | None) -> None:
        """Leave out what no placement holds that costs so many steps on a level that prices bound."""
        branches = self.branches.get(level)
        if branches is None or steps is None or self.best is None or self.outline is None:
            return
        most, until = _most(level, self.outline, steps), self.deadline.part(NARROWING)
        for place, left in branches.ranges(most):
            self.ranges[place] = self.ranges[place].within(*left)
        self.ranges |= dict(ranges_at_prices(branches.whole, most, self.best, self.ranges, until))

    def _filled(self, level: Level | None) -> Filled:
        """Return the use of clusters where pinned levels cost what they may, and one what it does."""
        found = dict[Row, Interval]()
        if self.outline is None or self.best is None:
            return found
        most = dict(self.pins)
        if level is not None and level not in self.targets:
            most[level] = self.outline.levels[level].steps(self.best)
        for each in most.keys() & self.branches.keys():
            for row, known in self.branches[each].whole.filled(_most(each, self.outline, most[each])):
                found[row] = known.within(*found.get(row, known))
        return found

    def _pinned(self, outline: Encoding) -> Mapping[Level, Fraction]:
        """Return the pins of levels that bind workloads together, in their units.

        Before balance everybody may cost what he would cost alone, which narrows what he can choose. After it
        nobody has to: what was found of that was found without balance.
        """
        found, everybody = dict[Level, Fraction](), frozenset(self.problem.workload_by_key)
        before = frozenset(takewhile(lambda each: each != BALANCE, self.levels))
        for level, steps in self.pins:
            narrows = level in before and everybody <= self.apart.get(level, frozenset())
            if level == BALANCE or (is_own(level) and not narrows):
                found[level] = _most(level, outline, steps)
        return found

    def _wanted(self, level: Level, found: Placement | None, part: float = 1) -> Fraction:
        """Take a placement if it is better; return what a level has to be bounded by to be settled.

        That is within a part of its tolerance.
        """
        best, outline = self.best or Placement({}), self.outline
        if found is not None and outline is not None:
            tried = Placement({**best, **found})
            better = self._is_better(outline, tried, level) and self._is_inside(tried)
            if better and not refused(self.problem, tried):
                self.best = best = tried
        value = Fraction(value_of(self.problem, best, level))
        if level in self.targets:
            return value - Fraction(part) * self.targets[level].tolerance
        cost = None if outline is None else outline.levels[level]
        # A bound that is above what is a step less is rounded up to the value.
        return value if cost is None or not cost.exact else value - ALMOST / cost.scale

    def _relaxed_at(self, level: Level, best: Placement) -> Attained | None:
        """Return a level of the problem with fewer rules, with its bound; None where that is silent."""
        number = self.levels.index(level)
        known = number < len(self.relaxed) and self._reaches(number, best)
        return self.relaxed[number] if known and self._is_pinned_exactly(number) else None

    def _is_pinned_exactly(self, count: int) -> bool:
        """Tell whether all that is found from now on costs exactly the same on the first levels."""
        costs = {} if self.outline is None else self.outline.levels
        return all(
            level not in costs or costs[level].exact or (note.proven and note.exact)
            for level, note in zip(self.levels[:count], self.notes, strict=False)
        )

    def _reaches(self, count: int, best: Placement) -> bool:
        """Tell whether the first levels, so many, cost what they cost in the problem with fewer rules."""
        levels = zip(self.levels[:count], self.relaxed[:count], strict=False)
        return len(self.relaxed) >= count and all(
            value_of(self.problem, best, each) == other.value for each, other in levels
        )

    def rank(self, placement: Placement) -> tuple[int | Fraction, ...]:
        """Return the levels of a placement as numbers by which placements compare.

        They are as fine as the levels were compared, and below a target all are one.
        """
        return tuple(self._rank_on(level, placement) for level in self.levels)

    def rank_on(self, number: int) -> int | Fraction:
        """Return the number by which the best placement compares on a level."""
        return 0 if self.best is None else self._rank_on(self.levels[number], self.best)

    def _rank_on(self, level: Level, placement: Placement) -> int | Fraction:
        """Return the number by which a placement compares on a level."""
        cost = None if self.outline is None else self.outline.levels.get(level)
        value = value_of(self.problem, placement, level)
        if cost is not None and not cost.exact:
            value = cost.value(cost.steps(placement))
        return max(value, self.targets[level].value) if level in self.targets else value


def _most(level: Level, outline: Encoding, steps: int) -> Fraction:
    """Return the most that a level costs where it costs so many steps, which may be rounded down."""
    cost = outline.levels[level]
    if level == BALANCE:
        return cost.value(steps) + cost.error
    problem = outline.problem
    replicas = sum(each.replicas for each in problem.workloads)
    return cost.value(steps + cost.rounded(replicas, len(problem.workloads) * len(problem.clusters)))


TURNS = 5
"""How many numbers of replicas are looked at by place, on each side."""
ENOUGH = Fraction(9, 10)
"""The part of what a level may cost by which it has to be bounded for little to be left out of too much."""

Beyond = Callable[[Numbers, Numbers, int], Numbers]
"""Tells of places whether so many replicas there, or more, are out of question; with sign -1, or fewer."""


def ranges_at_prices(
    master: MixMaster, most: Fraction, best: Placement, ranges: Mapping[Place, Interval], until: Deadline
) -> Iterator[tuple[Place, Interval]]:
    """Yield the ranges of places in placements that cost so much at most, where they are narrower.

    At the prices that bound best, a workload that has to hold more on a cluster, or less, costs more by so
    much at least, whatever all others do: what the bound is raised by to more than `most` is out of question.

    Parameters
    ----------
    master
        All that is bounded.
    most
        Most that the level that is minimised may cost, in its unit.
    best
        A placement that costs no more.
    ranges
        Fewest and most replicas of places, as far as known.
    until
        When to stop.
    """
    priced = master.priced
    if priced is None or priced.bound < ENOUGH * most:
        return
    # What every workload may cost at these prices.
    spare = most * priced.step - priced.rest - sum(priced.terms)
    limits = [term + spare for term in priced.terms]
    shape = len(master.mixes), len(master.rows.names)
    inside, lower, upper = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    for at, mix in enumerate(master.mixes):
        known = [ranges.get(Place(mix.choice.key, name), Interval(0, 0)) for name in mix.choice.names]
        inside[at] = mix.choice.counts(best.of(mix.choice.key))
        lower[at], upper[at] = np.array(known, dtype=np.int64).T

    def beyond(places: Numbers, ends: Numbers, sign: int) -> Numbers:
        """Tell of places whether a workload costs too much that holds at least so many there, or at most."""
        asked = [
            (at, *master.mixes[at].bounds(cluster, *((end,) if sign > 0 else (0, end))))
            for (at, cluster), end in zip(places.tolist(), ends.tolist(), strict=True)
        ]
        parts = master.parts(priced, asked)
        return np.array([part is None or part.term > limits[part.at] for part in parts])

    fewest = inside - _within(inside, -1, inside - lower, beyond, until)
    greatest = inside + _within(inside, 1, upper - inside, beyond, until)
    for at, cluster in np.argwhere((fewest > lower) | (greatest < upper)).tolist():
        place = Place(master.mixes[at].choice.key, master.rows.names[cluster])
        yield place, Interval(int(fewest[at, cluster]), int(greatest[at, cluster]))


def _within(inside: Numbers, sign: int, end: Numbers, beyond: Beyond, until: Deadline) -> Numbers:
    """Return how many more replicas than the best placement's a place may hold, or fewer, up to an end.

    Where the end itself is not out of question, nothing before it is.
    """
    least, out = np.zeros_like(end), end + 1
    for turn in range(TURNS):
        places = np.argwhere(out - least > 1)
        if not places.size or not until.remaining():
            break
        middle = (end, least + 1)[turn] if turn < 2 else (least + out) // 2
        at, clusters = places.T
        is_out = beyond(places, (inside + sign * middle)[at, clusters], sign)
        looked = middle[at, clusters]
        out[at, clusters] = np.where(is_out, looked, out[at, clusters])
        least[at, clusters] = np.where(is_out, least[at, clusters], looked)
    found: Numbers = out - 1
    return found
