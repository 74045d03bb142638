"""What balance costs at least, or a deviation while balance is pinned: bounds from prices of what is filled.

At a price of every unit that is used, workloads choose by themselves what costs least, exactly, and what
clusters are filled by is chosen freely. The sum of both bounds what is minimised from below, whatever the
prices (Lagrangian relaxation). Where balance is pinned, it counts with a weight, less what it may be. The
best prices are the marginal costs of the mix of choices that costs least, found step by step: the choices
that are cheapest now come into the mix (M. Frank and P. Wolfe, 1956). Floats only look for prices and for the
weight; the bound is evaluated in whole numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fairlead.encoders.variables import Place, Range
from fairlead.models.levels import BALANCE, Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.balance import Balance
from fairlead.solver.answers.attainment import Apart
from fairlead.solver.exact.costs.bowls import Bowls
from fairlead.solver.levels.filled_rows import Choice, FilledRows, Floats, Numbers, rows_and_choices
from fairlead.solver.levels.own_cost import OwnCost, own_cost
from fairlead.solver.running.deadline import Deadline

ROUNDS = 24
"""How often every workload chooses at most."""
SWEEPS = 30
"""How often the mix is evened out in between."""
DEAREST = 2.0**34
"""The price of a replica in whole steps, at most."""
ENOUGH = 2.0**-10
"""Of what the mix costs, how much more a bound has to promise to be looked for."""
NOTHING = 1e-9
"""Parts of a mix that are as good as none, and gains that are."""
OVER = 50.0
"""What it costs to fill more than there is room for, in terms of balance."""
STRIDE = 4.0
"""By what the weight of a pinned balance is changed at first."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is bounded.

    Parameters
    ----------
    level
        Balance, or a level after it that single workloads add up to.
    wanted
        A bound that is enough.
    limit
        What balance may be; None where it is minimised.
    below
        False where a bound that is not enough is worth nothing.
    """

    level: Level
    wanted: Fraction
    limit: Fraction | None = None
    below: bool = True


@dataclass(slots=True)
class _Mix:
    """Parts of the choices of one workload that add up to 1, with what they use and what they cost alone."""

    choice: Choice
    own: OwnCost
    used: list[Floats]
    costs: list[float]
    parts: list[float]

    def add(self, counts: Numbers) -> None:
        """Take in a choice, none of it so far."""
        used, cost = (self.choice.usage @ counts).astype(float), self.own.about(counts)
        known = zip(self.used, self.costs, strict=True)
        if not any(cost == other and np.array_equal(used, each) for each, other in known):
            self.used.append(used)
            self.costs.append(cost)
            self.parts.append(0.0)

    def without_nothing(self) -> "_Mix":
        """Return the mix of what is more than nothing."""
        kept = [at for at, part in enumerate(self.parts) if part > NOTHING]
        return _Mix(
            self.choice,
            self.own,
            [self.used[at] for at in kept],
            [self.costs[at] for at in kept],
            [self.parts[at] for at in kept],
        )


class _Filling:
    """How rows are filled by all together, in floats, and what balance weighs beside what workloads cost."""

    def __init__(self, rows: FilledRows, mixes: list[_Mix], limit: Fraction | None) -> None:
        self.rows = rows
        self.mixes = mixes
        self.used: Floats = sum((mix.used[0] for mix in mixes), np.zeros(len(rows.rows)))
        self._bend = rows.bend
        self._limit = limit
        self._stride = STRIDE
        self.weight = 1.0
        if limit is not None:
            self.weight = max(1.0, self.spent()) / max(float(limit), ENOUGH)

    def spent(self) -> float:
        """Return what the workloads of the mix cost alone."""
        pairs = ((part, cost) for mix in self.mixes for part, cost in zip(mix.parts, mix.costs, strict=True))
        return sum(part * cost for part, cost in pairs)

    def prices(self) -> Floats:
        """Return what a unit more costs, by row."""
        over = np.maximum(0.0, self.used - self.rows.room)
        found: Floats = 2 * self.weight * self._bend * (self.rows.standing + self.used + OVER * over)
        return found

    def value(self) -> float:
        """Return about what the mix costs."""
        uneven = self.rows.unevenness(self.rows.standing + self.used)
        return uneven if self._limit is None else self.spent() + self.weight * (uneven - float(self._limit))

    def even(self) -> None:
        """Shift parts from what costs most to what costs least, until nothing is gained; then weigh again."""
        for _ in range(SWEEPS):
            if sum(map(self._shift, self.mixes)) < NOTHING * self.weight:
                break
        self.mixes = [mix.without_nothing() for mix in self.mixes]
        if self._limit is not None:
            over = self.rows.unevenness(self.rows.standing + self.used) > self._limit
            if over != (self._stride > 1):
                self._stride = self._stride**-0.5
            self.weight *= self._stride

    def _shift(self, mix: _Mix) -> float:
        """Shift as much as gains most; return about what it gained."""
        if len(mix.used) < 2:
            return 0.0
        prices = self.prices()
        costs = [own + float(prices @ used) for own, used in zip(mix.costs, mix.used, strict=True)]
        to = min(range(len(costs)), key=costs.__getitem__)
        source = max((at for at in range(len(costs)) if mix.parts[at] > NOTHING), key=costs.__getitem__)
        gain = costs[source] - costs[to]
        if gain <= NOTHING * self.weight:
            return 0.0
        change = mix.used[to] - mix.used[source]
        over = 1 + OVER * (self.used > self.rows.room)
        slowed = float((2 * self.weight * self._bend * over * change * change).sum())
        part = min(mix.parts[source], gain / slowed if slowed else 1.0)
        mix.parts[to] += part
        mix.parts[source] -= part
        self.used = self.used + part * change
        return part * gain

    def bound(self) -> Fraction | None:
        """Return the bound at the prices of the mix, and take the choices that are cheapest there into it.

        None where one of these cannot be told.
        """
        prices, weight = self.prices(), Fraction(self.weight)
        slopes = [prices @ mix.choice.usage for mix in self.mixes]
        dearest = max(
            float((slope + mix.own.dearest(mix.choice.total)).max(initial=0.0))
            for slope, mix in zip(slopes, self.mixes, strict=True)
        )
        scale = int(DEAREST / max(dearest, 1 / DEAREST))
        whole = np.rint(prices * scale).astype(np.int64)
        spent = Fraction(0)
        for mix in self.mixes:
            own = mix.own.in_steps(scale)
            cost = Bowls(own.bend, own.slope + whole @ mix.choice.usage)
            counts = mix.choice.cheapest(cost)
            if counts is None:
                return None
            spent += cost.value(counts) + scale * mix.own.constant
            mix.add(counts)
        found = (spent + self.rows.least(whole.tolist(), scale * weight)) / scale
        return found if self._limit is None else found - weight * self._limit


def filling_bound(
    rule: Balance,
    problem: Problem,
    placement: Placement,
    apart: Apart,
    ranges: Mapping[Place, Range],
    asked: Asked,
    until: Deadline,
) -> Fraction | None:
    """Return what a level is not below in any placement that is as good on the levels before.

    Parameters
    ----------
    rule
        Who is to fill clusters together; its totals are known.
    problem
        The question.
    placement
        A valid placement.
    apart
        Workloads that cost what they would cost alone, by level; others are free on those levels.
    ranges
        What such placements may hold.
    asked
        What is bounded.
    until
        When no better bound is looked for.

    Returns
    -------
    Fraction or None
        None where nothing is known.
    """
    found = rows_and_choices(rule, problem, apart)
    if found is None:
        return None
    rows, choices = found
    mixes = list[_Mix]()
    for workload, choice in choices:
        counts = asked.level != BALANCE or workload.key in rule.members
        if counts and choice is None:
            return None
        if counts and choice is not None:
            own = own_cost(workload, choice, problem, asked.level)
            mix = _Mix(_in_ranges(choice, ranges), own, [], [], [])
            mix.add(choice.counts(placement.of(choice.key)))
            mix.parts[0] = 1.0
            mixes.append(mix)
    return _raised(_Filling(rows, mixes, asked.limit), asked, until) if mixes else None


def _raised(filling: _Filling, asked: Asked, until: Deadline) -> Fraction | None:
    """Return the best bound of some rounds."""
    best: Fraction | None = None
    for _ in range(ROUNDS):
        found = filling.bound() if until.remaining() else None
        if found is None:
            break
        best = found if best is None else max(best, found)
        value = filling.value()
        if best >= asked.wanted or value - float(best) <= ENOUGH * value:
            break
        # No bound is above what a mix costs.
        if not asked.below and value < asked.wanted:
            break
        filling.even()
    return best


def _in_ranges(choice: Choice, ranges: Mapping[Place, Range]) -> Choice:
    """Return what can be chosen within ranges."""
    known = [ranges[Place(choice.key, name)] for name in choice.names]
    lower, upper = ([each[end] for each in known] for end in (0, 1))
    return choice.within(np.array(lower, dtype=np.int64), np.array(upper, dtype=np.int64))
