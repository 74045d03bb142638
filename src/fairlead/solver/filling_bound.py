"""How evenly clusters can be filled at best: a bound from prices of what is filled.

At a price of every unit that is used, workloads choose by themselves what costs least, exactly, and what
clusters are filled by is chosen freely. The sum of both bounds balance from below, whatever the prices
(Lagrangian relaxation). The best prices are the marginal costs of the mix of choices that fills clusters most
evenly, found step by step: the choices that are cheapest now come into the mix (M. Frank and P. Wolfe, 1956).
Floats only look for prices; the bound is evaluated in whole numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fairlead.encoders.variables import Place, Range
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.balance import Balance
from fairlead.solver.attainment import Apart
from fairlead.solver.costs.straight import linear
from fairlead.solver.deadline import Deadline
from fairlead.solver.filled_rows import Choice, FilledRows, Floats, Numbers, choices_of

ROUNDS = 24
"""How often every workload chooses at most."""
SWEEPS = 30
"""How often the mix is evened out in between."""
DEAREST = 2**34
"""The price of a replica in whole steps, at most."""
ENOUGH = 2.0**-10
"""Of what balance is, how much more a bound has to promise to be looked for."""
NOTHING = 1e-9
"""Parts of a mix that are as good as none, and gains that are."""
OVER = 50.0
"""What it costs to fill more than there is room for, in terms of balance."""


@dataclass(slots=True)
class _Mix:
    """Parts of the choices of one workload that add up to 1."""

    choice: Choice
    used: list[Floats]
    parts: list[float]

    def add(self, used: Floats) -> None:
        """Take in a choice, none of it so far."""
        if not any(np.array_equal(used, known) for known in self.used):
            self.used.append(used)
            self.parts.append(0.0)

    def without_nothing(self) -> "_Mix":
        """Return the mix of what is more than nothing."""
        kept = [at for at, part in enumerate(self.parts) if part > NOTHING]
        return _Mix(self.choice, [self.used[at] for at in kept], [self.parts[at] for at in kept])


class _Filling:
    """How rows are filled by all together, in floats."""

    def __init__(self, rows: FilledRows) -> None:
        self._rows = rows
        self._bend = 1 / (np.array([float(share) for share in rows.share]) * rows.total.astype(float) ** 2)
        self.used: Floats = np.zeros(len(rows.rows))

    def prices(self) -> Floats:
        """Return what a unit more costs, by row."""
        over = np.maximum(0.0, self.used - self._rows.room)
        found: Floats = 2 * self._bend * (self._rows.standing + self.used + OVER * over)
        return found

    def value(self) -> float:
        """Return how uneven that is."""
        resources = len({resource for _, resource in self._rows.rows})
        return float((self._bend * (self._rows.standing + self.used) ** 2).sum()) - resources

    def even(self, mixes: Sequence[_Mix]) -> None:
        """Shift parts from what costs most to what costs least, until nothing is gained by it."""
        for _ in range(SWEEPS):
            if sum(map(self._shift, mixes)) < NOTHING:
                return

    def _shift(self, mix: _Mix) -> float:
        """Shift as much as gains most; return about what it gained."""
        if len(mix.used) < 2:
            return 0.0
        prices = self.prices()
        costs = [float(prices @ used) for used in mix.used]
        to = min(range(len(costs)), key=costs.__getitem__)
        source = max((at for at in range(len(costs)) if mix.parts[at] > NOTHING), key=costs.__getitem__)
        gain = costs[source] - costs[to]
        if gain <= NOTHING:
            return 0.0
        change = mix.used[to] - mix.used[source]
        over = 1 + OVER * (self.used > self._rows.room)
        part = min(mix.parts[source], gain / float((2 * self._bend * over * change * change).sum()))
        mix.parts[to] += part
        mix.parts[source] -= part
        self.used = self.used + part * change
        return part * gain


def filling_bound(
    rule: Balance,
    problem: Problem,
    placement: Placement,
    apart: Apart,
    ranges: Mapping[Place, Range],
    wanted: Fraction,
    until: Deadline,
) -> Fraction | None:
    """Return what balance is not below in any placement that is as good on the levels before.

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
    wanted
        A bound that is enough.
    until
        When no better bound is looked for.

    Returns
    -------
    Fraction or None
        None where nothing is known.
    """
    rows = FilledRows.of(rule, problem)
    choices = [] if rows is None else list(choices_of(rows, rule, problem, apart, ranges))
    if rows is None or not choices or None in choices:
        return None
    filling = _Filling(rows)
    mixes = [_Mix(each, [_used(each, placement)], [1.0]) for each in choices if each is not None]
    filling.used = np.sum([mix.used[0] for mix in mixes], axis=0)
    best: Fraction | None = None
    for _ in range(ROUNDS):
        if not until.remaining():
            break
        found = _bound(rows, filling, mixes)
        if found is None:
            break
        best = found if best is None else max(best, found)
        value = filling.value()
        if best >= wanted or value - float(best) <= ENOUGH * value:
            break
        filling.even(mixes)
        mixes = [mix.without_nothing() for mix in mixes]
    return best


def _bound(rows: FilledRows, filling: _Filling, mixes: Sequence[_Mix]) -> Fraction | None:
    """Return the bound at the prices of a mix, and take the choices that are cheapest there into it.

    None where one of these cannot be told.
    """
    prices = filling.prices()
    dearest = max(float((prices @ mix.choice.usage).max(initial=0.0)) for mix in mixes)
    scale = int(DEAREST / max(dearest, 1 / DEAREST))
    whole = np.rint(prices * scale).astype(np.int64)
    spent = Fraction(0)
    for mix in mixes:
        slopes: Numbers = whole @ mix.choice.usage
        placed = mix.choice.cheapest(linear(slopes))
        if placed is None:
            return None
        spent += sum(slope * count for slope, count in zip(slopes.tolist(), placed.tolist(), strict=True))
        mix.add((mix.choice.usage @ placed).astype(float))
    return (spent + rows.least(whole.tolist(), scale)) / scale


def _used(choice: Choice, placement: Placement) -> Floats:
    """Return what a workload uses in a placement, by row."""
    placed = placement.of(choice.key)
    counts = np.array([placed.get(name, 0) for name in choice.names], dtype=np.int64)
    used: Floats = (choice.usage @ counts).astype(float)
    return used
