"""Placements from mixes: rounded to one choice each, or settled choice by choice at prices found anew.

Rounding exchanges choices as long as that gains. But a bound says nothing of where a placement is, and what
there is most of in every mix often costs far more, or a bit more on a pinned level than it may. So mixes are
settled one after the other, first where mixing saves most, with what there is most of first (diving), as long
as the bound stays below what is wanted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fairlead.models.placement import Placement
from fairlead.solver.columns.choice import Floats, Numbers
from fairlead.solver.columns.master import MixMaster
from fairlead.solver.columns.mix import NOTHING
from fairlead.solver.columns.rounds import AGAIN, raised
from fairlead.solver.running.deadline import Deadline

ROUNDS = 3
"""How often what is best beside all others is looked for."""
STEPS = 200
"""How many exchanges are made at most."""
MOST = 150
"""Choices up to which two are exchanged at a time."""
PAIRS = 20
"""Best exchanges of two choices that are looked at."""
BEYOND = (2.0, 32.0, 512.0)
"""How many times what is above a limit counts what it weighs in the mix, until nothing is."""
GAIN = 2.0**-30
"""The part of it by which an exchange has to gain."""


def together(master: MixMaster, until: Deadline) -> Placement:
    """Return a placement of one choice of every mix that costs little, within limits where that is found.

    It begins with the choices of which there is most. Then one choice after the other is exchanged, and
    where no single one gains any more, two at a time (a quadratic assignment by local search). What would be
    best for a workload beside all others comes to its choices then.
    """
    swapping = _Swapping.of(master, until)
    for beyond in BEYOND:
        swapping.beyond = beyond
        swapping.improve()
        if swapping.keeps() or not until.remaining():
            break
    return Placement(
        {
            mix.choice.key: {
                name: count for name, count in zip(mix.choice.names, counts.tolist(), strict=True) if count
            }
            for mix, counts in zip(master.mixes, swapping.counts[swapping.taken], strict=True)
        }
    )


@dataclass(slots=True, eq=False)
class _Swapping:
    """Choices of all mixes as rows, and which of them are taken, by mix."""

    master: MixMaster
    until: Deadline
    owner: Numbers
    counts: Numbers
    used: Floats
    costs: Floats
    taken: Numbers
    beyond: float = 1.0

    @classmethod
    def of(cls, master: MixMaster, until: Deadline) -> "_Swapping":
        """Return the choices of which there is most."""
        sizes = [len(mix.parts) for mix in master.mixes]
        first = np.cumsum([0, *sizes[:-1]])
        largest = np.array([int(mix.parts.argmax()) for mix in master.mixes])
        some = (
            np.vstack([getattr(mix, name) for mix in master.mixes]) for name in ("counts", "used", "costs")
        )
        counts, used, costs = some
        return cls(
            master, until, np.repeat(np.arange(len(sizes)), sizes), counts, used, costs, first + largest
        )

    def widen(self) -> None:
        """Take in what would be best for every workload beside all others."""
        above = np.array([not kept for kept in self._kept()])
        weights = self.master.weights * np.where(above, self.beyond, 1.0)
        answers = self.master.answers(self.counts[self.taken], weights)
        mixes = self.master.mixes
        column = self.master.rows.column
        used = [mix.choice.need * counts[column] for mix, counts in zip(mixes, answers, strict=True)]
        costs = [[own.about(counts) for own in mix.own] for mix, counts in zip(mixes, answers, strict=True)]
        self.owner = np.append(self.owner, np.arange(len(mixes)))
        self.counts, self.used, self.costs = (
            np.vstack(both) for both in ((self.counts, answers), (self.used, used), (self.costs, costs))
        )

    def improve(self) -> None:
        """Exchange what gains most, with what is best beside all others, as long as that gains enough."""
        for _ in range(ROUNDS):
            before = self._value()
            self._exchange()
            self.widen()
            self._exchange()
            if self._value() >= before - GAIN * abs(before):
                return

    def keeps(self) -> bool:
        """Tell whether everything is within limits."""
        used, _ = self._now()
        return bool((used <= self.master.rows.room).all()) and all(self._kept())

    def _kept(self) -> list[bool]:
        """Return of every level whether it is within its limit."""
        used, spent = self._now()
        spent[-1] += self.master.rows.unevenness(self.master.rows.standing + used)
        pairs = zip(spent.tolist(), self.master.aims, strict=True)
        return [limit is None or cost <= float(limit) + NOTHING for cost, limit in pairs]

    def _exchange(self) -> None:
        """Exchange what gains most, as long as that gains enough."""
        value = self._value()
        for _ in range(STEPS):
            found = self._one(value)
            if found is None and len(self.owner) <= MOST:
                found = self._two(value)
            if found is None or not self.until.remaining():
                return
            at, value = found
            self.taken[self.owner[at]] = at

    def _now(self) -> tuple[Floats, Floats]:
        """Return the units used by row, and the cost by level, of the choices taken."""
        return self.used[self.taken].sum(axis=0), self.costs[self.taken].sum(axis=0)

    def _value(self) -> float:
        return float(self._values(*self._now()))

    def _one(self, value: float) -> tuple[list[int], float] | None:
        """Return the choice that gains most, and what all cost then; None where none gains."""
        (used, costs), (now, spent) = self._changes(), self._now()
        values = self._values(now + used, spent + costs)
        at = int(values.argmin())
        return ([at], float(values[at])) if values[at] < value - GAIN * abs(value) else None

    def _two(self, value: float) -> tuple[list[int], float] | None:
        """Return the two choices that gain most; None where none do."""
        rows, (used, costs) = self.master.rows, self._changes()
        now, spent = self._now()
        exact = spent.copy()
        straight = used @ (2 * rows.bend * (rows.standing + now)) + (used * used) @ rows.bend
        together = 2 * (used * rows.bend) @ used.T
        spent[-1] += rows.unevenness(rows.standing + now)
        found = np.zeros_like(together)
        for level in range(len(spent)):
            both = spent[level] + costs[:, None, level] + costs[None, :, level]
            if level == len(spent) - 1:
                both += straight[:, None] + straight + together
            found += self._weighed(level, both)
        found[self.owner[:, None] == self.owner] = np.inf
        # Of the best pairs the first that fits.
        some = np.argpartition(found, min(PAIRS, found.size - 1), axis=None)[:PAIRS]
        one, other = np.divmod(some, len(found))
        values = self._values(now + used[one] + used[other], exact + costs[one] + costs[other])
        values = np.where(self.owner[one] == self.owner[other], np.inf, values)
        at = int(values.argmin())
        better = values[at] < value - GAIN * abs(value)
        return ([int(one[at]), int(other[at])], float(values[at])) if better else None

    def _changes(self) -> tuple[Floats, Floats]:
        """Return by how much more is used and spent for every choice instead of the one that is taken."""
        instead = self.taken[self.owner]
        return self.used - self.used[instead], self.costs - self.costs[instead]

    def _weighed(self, level: int, costs: Floats) -> Floats:
        """Return costs on a level as they count: all where it is minimised, else those above its limit."""
        limit, weights = self.master.aims[level], self.master.weights
        goal = weights[self.master.limits.index(None)]
        if limit is None:
            return costs
        found: Floats = self.beyond * weights[level] / goal * np.maximum(0.0, costs - float(limit))
        return found

    def _values(self, used: Floats, costs: Floats) -> Floats:
        """Return the cost of choices in all: levels as they count, and far more for overfull rows."""
        rows = self.master.rows
        filled = (rows.bend * (rows.standing + used) ** 2).sum(axis=-1) - rows.resources
        over = (np.maximum(0.0, used - rows.room) * rows.bend * rows.total).sum(axis=-1)
        found: Floats = over * 1e3 * self.master.weights[-1]
        for level in range(costs.shape[-1]):
            each = costs[..., level] + (filled if level == costs.shape[-1] - 1 else 0.0)
            found = found + self._weighed(level, each)
        return found


FAR = 2.0**-5
"""Part of the wanted bound that has to be missing for a search of placements."""
MOST_TRIED = 24
"""How many choices are tried at most."""
ENDS = 4
"""How many times placements are put together at most where nothing is mixed any more."""


@dataclass(slots=True, eq=False)
class Diving:
    """A search for a placement.

    Parameters
    ----------
    whole
        The mixes of all that can be chosen.
    tell
        Is told of a placement, and says which bound is enough then.
    wanted
        Which bound is enough; what is bounded by more is not looked at.
    until
        When to end.
    tried, ends
        How many choices were tried, and how often nothing was mixed any more.
    """

    whole: MixMaster
    tell: Callable[[Placement | None], Fraction]
    wanted: Fraction
    until: Deadline
    tried: int = 0
    ends: int = 0

    def searched(self, bound: Fraction | None) -> Fraction:
        """Search where what is wanted is far above a bound; return what is wanted then."""
        if bound is not None and self.wanted - bound > FAR * self.wanted:
            self._settle(self.whole)
        return self.wanted

    def _settle(self, master: MixMaster) -> None:
        """Settle one mix of a master after the other; tell of what comes of it.

        In the end all choices that are known of the whole may be exchanged for those that were settled.
        """
        at = master.most_mixed()
        if at is None:
            self.ends += 1
            for some in (master, self.whole.beginning(master)):
                self.wanted = self.tell(together(some, self.until))
            return
        for half in master.settled(at):
            if self.tried == MOST_TRIED or self.ends == ENDS or not self.until.remaining():
                return
            if half.priced is None or half.priced.bound >= self.wanted:
                continue
            self.tried += 1
            bound = raised(half, self.wanted, AGAIN, self.until)
            if bound is not None and bound < self.wanted:
                self._settle(half)
