"""Least of balance, or of a level after it while others are pinned: branch and bound over mixes.

A mix may hold parts of choices, which no placement does, so its bound may lie below all placements
(`fairlead.solver.columns.mix`). Where it is not enough, the replicas of one workload on one cluster are cut
in two, at their mean in the mix or at the least of its choices, and both are bounded: first where mixing
gains most (branch and bound). What there is most of in every mix is a placement that may be a good one.
"""

import heapq
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from fairlead.encoders.scale import Held
from fairlead.encoders.variables import Interval, Place
from fairlead.models.levels import BALANCE, Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.balance import Balance
from fairlead.solver.answers.attainment import Apart
from fairlead.solver.columns.choice import ChoiceSet, Floats, Numbers
from fairlead.solver.columns.filled_rows import rows_and_choices
from fairlead.solver.columns.master import MixMaster
from fairlead.solver.columns.mix import NOTHING, ChoicePart, Mix
from fairlead.solver.columns.own_cost import OwnCost, own_cost
from fairlead.solver.columns.rounding import Diving, together
from fairlead.solver.columns.rounds import AGAIN, CLOSE, ROUNDS, raised
from fairlead.solver.running.deadline import Deadline

PARTS = 400
"""Parts that are looked at in the end, at most."""
FEW_PARTS = 24
"""Parts that are looked at before a first search, at most."""
STALE = 8
"""Parts that raise the bound too little, one after the other, after which no more are looked at."""
LITTLE = 2.0**-3
"""Part of the way to the wanted bound below which a rise is too little."""
TOGETHER = 0.2
"""Part of the time left that putting a placement together may use."""
DIVING = 0.4
"""Part of the time left that a first search for a placement may use, choice by choice."""
TRIED = 12
"""Places in which a part is cut in two to see where that tells most."""
SEVERAL = 4
"""Fewest sets of clusters that have to be mixed to be told apart by the first one in use."""

Wanted = Callable[[Placement | None], Fraction]
"""Bound that is enough; is told of a placement that may be good, or of None."""


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """Level that is bounded, and how far.

    Parameters
    ----------
    level
        Balance, or a level after it that single workloads add up to.
    wanted
        A bound that is enough; is told of placements that may be better than the best one.
    pins
        Most that other levels may cost, balance among them unless it is bounded, in their units.
    aims
        Most that placements may cost on them, where that is less.
    parts
        How many more parts are looked at, at most; 1 cuts nothing.
    held
        Replicas of overflow tiers, as far as known.
    dives
        Whether a placement is looked for choice by choice as well, where the bound is far.
    """

    level: Level
    wanted: Wanted
    pins: Mapping[Level, Fraction] = field(default_factory=dict)
    aims: Mapping[Level, Fraction] = field(default_factory=dict)
    parts: int = PARTS
    held: Held | None = None
    dives: bool = True


@dataclass(order=True, slots=True)
class _BranchNode:
    """A part of all placements: its bound, its number, and the mixes within."""

    bound: Fraction
    number: int
    master: MixMaster = field(compare=False)


@dataclass(slots=True, eq=False)
class Branches:
    """All placements in parts, as far as they were cut: who asks again goes on from there.

    Parameters
    ----------
    levels
        Levels that are pinned, or bounded, balance last.
    limits
        Pins of these, in their units; None for the one that is bounded.
    whole
        All placements.
    root
        The same, as long as its bound may get better at other prices.
    parts
        Parts that may be cut, the one of the least bound first.
    done
        All others, which cannot be cut.
    number
        How many parts there were.
    least
        About what the best placement costs that was looked at.
    """

    levels: tuple[Level, ...]
    limits: tuple[Fraction | None, ...]
    whole: MixMaster
    root: MixMaster | None
    parts: list[_BranchNode] = field(default_factory=list)
    done: list[_BranchNode] = field(default_factory=list)
    number: int = 0
    least: float = math.inf

    @property
    def bound(self) -> Fraction | None:
        """Bound of the level, in its unit; None where nothing is known."""
        return min((part.bound for part in (*self.parts[:1], *self.done)), default=None)

    def ranges(self, most: Fraction) -> Iterator[tuple[Place, Interval]]:
        """Yield the fewest and most replicas of places where the level costs so much at most.

        That is what they hold in parts that are not bounded by more.
        """
        masters = [part.master for part in (*self.parts, *self.done) if part.bound <= most]
        for at, mix in enumerate(self.whole.mixes if masters else ()):
            choices = [master.mixes[at].choice for master in masters]
            lower = np.min([each.least for each in choices], axis=0).tolist()
            upper = np.max([each.most for each in choices], axis=0).tolist()
            for name, *ends in zip(mix.choice.names, lower, upper, strict=True):
                yield Place(mix.choice.key, name), Interval(*ends)

    def search(self, asked: BoundQuery, until: Deadline) -> None:
        """Look for the best bound: of the whole, then of smaller and smaller parts."""
        wanted = asked.wanted(None)
        if self.root is not None:
            wanted = self._told(self.root, asked, wanted, until)
            bound = raised(self.root, wanted, ROUNDS, until)
            self.parts = [] if bound is None else [_BranchNode(bound, 0, self.root)]
            if asked.level != BALANCE and asked.dives:
                wanted = Diving(self.root, asked.wanted, wanted, until.part(DIVING)).searched(bound)
                self.least = min(self.least, float(wanted))
            self.root = None if until.remaining() else self.root
        most = self.number + asked.parts if asked.parts > 1 else 0
        bounds = list[Fraction]()
        while self.parts and self.number < most and until.remaining():
            first = self.parts[0]
            if first.bound >= min([wanted, *(part.bound for part in self.done)]):
                break
            bounds.append(first.bound)
            if len(bounds) > STALE and first.bound - bounds[-1 - STALE] <= LITTLE * (wanted - first.bound):
                break
            wanted = self._told(first.master, asked, wanted, until)
            heapq.heappop(self.parts)
            for part in self._cut(first, wanted, until):
                if part.master is first.master:
                    wanted = self._told(part.master, asked, wanted, until)
                    self.done.append(part)
                    continue
                heapq.heappush(self.parts, part)
                if part.bound < wanted:
                    wanted = self._told(part.master, asked, wanted, until)

    def _cut(self, whole: _BranchNode, wanted: Fraction, until: Deadline) -> Iterator[_BranchNode]:
        """Yield parts of a part with their bounds; the same where it cannot be cut."""
        halves = _halves(whole.master)
        if halves is None:
            raised(whole.master, wanted, ROUNDS, until, closely=True)
            # What came in last may cost as much as what is left of the mix.
            halves = _halves(whole.master) or _halves(whole.master.spread()) or [whole.master]
        for half in halves:
            found = raised(half, wanted, AGAIN, until)
            self.number += 1
            yield _BranchNode(whole.bound if found is None else max(found, whole.bound), self.number, half)

    def _told(self, master: MixMaster, asked: BoundQuery, wanted: Fraction, until: Deadline) -> Fraction:
        """Return the wanted bound after the placement of the choices that have most has been told."""
        rounded = master.rounded()
        about = rounded.value()
        better = about < (1 - CLOSE) * self.least + CLOSE * float(self.bound or 0)
        if not better and (about >= wanted or not rounded.keeps(near=0)):
            return wanted
        self.least = min(about, self.least)
        return asked.wanted(together(master, until.part(TOGETHER)))


def branches_of(
    rule: Balance,
    problem: Problem,
    placement: Placement,
    apart: Apart,
    ranges: Mapping[Place, Interval] | None,
    asked: BoundQuery,
    known: Branches | None = None,
) -> Branches | None:
    """Return all placements that are as good on the levels before, to be cut; None where that is not known.

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
        Fewest and most replicas of places in such placements; None where that is not known.
    asked
        Level that is bounded, and how far.
    known
        Result found before of the same level in the same ranges or wider ones; taken where pins are the same.
    """
    found = rows_and_choices(rule, problem, apart)
    if found is None:
        return None
    rows, choices = found
    levels = (*(each for each in {**asked.pins, asked.level: None} if each != BALANCE), BALANCE)
    limits = tuple(asked.pins.get(each) for each in levels)
    if known is not None and known.limits == limits:
        return known
    mixes = list[Mix]()
    for workload, choice in choices:
        counts = asked.level != BALANCE or workload.key in rule.members
        if counts and choice is None:
            return None
        if counts and choice is not None:
            inside = choice if ranges is None else _in_ranges(choice, ranges)
            own = tuple(own_cost(workload, inside, problem, each, asked.held) for each in levels[:-1])
            if bool(choice.need.any()) or any(each.counts for each in own):
                own = (*own, OwnCost.nothing(len(choice.names)))
                mixes.append(Mix.of(inside, own, choice.counts(placement.of(choice.key)), rows.column))
    if not mixes:
        return None
    master = MixMaster.of(
        rows, mixes, limits, tuple({**asked.pins, **asked.aims}.get(each) for each in levels)
    )
    return Branches(levels, limits, master, master)


def _halves(master: MixMaster) -> Sequence[MixMaster] | None:
    """Return the parts with fewer and with more replicas on a cluster, without those that hold nothing.

    Where a single workload saves most of what mixing saves, its sets of clusters are told apart instead.

    Of the places where mixing saves most it is the one that raises the lower bound of the two most, at the
    prices that are known. None where nothing is mixed.
    """
    # What is mixed to fit into a full cluster saves nothing else.
    mixed = [
        (saved, spread, -at, -cluster)
        for at, mix in enumerate(master.mixes)
        if len(mix.parts) > 1
        for cluster, (saved, spread) in enumerate(
            zip(master.saved(mix).tolist(), mix.spread.tolist(), strict=True)
        )
        if spread > NOTHING
    ]
    priced = master.priced
    if priced is None or not mixed:
        return None
    if apart := list(_by_first_in_use(master)):
        return [master.within(priced, part) for part in master.parts(priced, apart) if part is not None]
    places = [(-at, -cluster) for _, _, at, cluster in heapq.nlargest(TRIED, mixed)]
    cuts = [(at, side) for at, cluster in places for cut in _cuts(master, at, cluster) for side in cut]
    parts = master.parts(priced, [(at, *side) for at, side in cuts])

    def risen(part: ChoicePart | None) -> Fraction | float:
        return math.inf if part is None else part.term - priced.terms[part.at]

    pairs = zip(parts[::2], parts[1::2], strict=True)
    best = max(pairs, key=lambda pair: min(map(risen, pair)))
    return [master.within(priced, part) for part in best if part is not None]


def _by_first_in_use(master: MixMaster) -> Iterator[tuple[int, Numbers, Numbers]]:
    """Yield parts of what a workload can choose by the first cluster that it uses, and one with none of them.

    These are clusters that only some choices of its mix use, the likeliest first. To take one of many away
    raises no bound, as the mix goes on without it. Nothing where no workload mixes choices on several sets of
    clusters and saves more by that than all others.
    """
    saved = [float(master.saved(mix).sum()) if len(mix.parts) > 1 else 0.0 for mix in master.mixes]
    at = int(np.argmax(saved))
    mix = master.mixes[at]
    used = mix.choices() > 0
    if 2 * saved[at] < sum(saved) or len(np.unique(used, axis=0)) < SEVERAL:
        return
    share: Floats = mix.parts @ (mix.counts > 0)
    not_all = np.flatnonzero(used.any(axis=0) & ~used.all(axis=0)).tolist()
    least, most = mix.bounds(0)
    for cluster in sorted(not_all, key=lambda each: -share[each]):
        lower = least.copy()
        lower[cluster] = 1
        yield at, lower, most.copy()
        most[cluster] = 0
    yield at, least, most


def _cuts(master: MixMaster, at: int, cluster: int) -> Iterator[Sequence[tuple[Numbers, Numbers]]]:
    """Yield bounds on both sides of some numbers of a workload's replicas on a cluster, the best one first.

    That is their mean, for balance; else the least of all choices: often none, and the cluster is in use or
    is not. Measured: of cuts that raise no bound at known prices, these tell more in the end.
    """
    mix = master.mixes[at]
    mean, least = int(np.floor(mix.mean[cluster] + NOTHING)), int(mix.counts[:, cluster].min())
    for most in dict.fromkeys((mean, least) if master.limits[-1] is None else (least, mean)):
        yield mix.bounds(cluster, most=most), mix.bounds(cluster, least=most + 1)


def _in_ranges(choice: ChoiceSet, ranges: Mapping[Place, Interval]) -> ChoiceSet:
    """Return the choices within ranges."""
    known = [ranges.get(Place(choice.key, name), (0, 0)) for name in choice.names]
    lower, upper = ([each[end] for each in known] for end in (0, 1))
    return choice.within(np.array(lower, dtype=np.int64), np.array(upper, dtype=np.int64))
