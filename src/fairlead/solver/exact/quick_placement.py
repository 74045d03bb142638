"""One workload placed at once, where there is no time for its best place: as it runs, by weight, by room.

Clusters are chosen greedily, what runs and room first; so they are too where there is no exact way, as groups
overlap.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import compress, repeat

import numpy as np
from numpy.typing import NDArray

from fairlead.models.check import violations_of
from fairlead.models.problem import Problem
from fairlead.models.rules import Aggregated, Duplicated, Spread, Total, Weights
from fairlead.models.rules.quota import Allowance
from fairlead.models.usage import usage_of
from fairlead.models.workload import Workload
from fairlead.solver.exact.allocation import exactly
from fairlead.solver.exact.boxes import Available, WorkloadBox, asked_of, box_of, fewest_in_use
from fairlead.solver.exact.marginal import Box

Divide = Callable[[Workload, Problem, WorkloadBox], Mapping[str, int] | None]
"""Divides the replicas of a workload inside its box; None where it finds no division."""


def choose_greedily(
    workload: Workload,
    problem: Problem,
    available: Available,
    quotas: Sequence[Allowance],
    divide: Divide = exactly,
) -> Mapping[str, int] | None:
    """Place a workload that may choose its clusters on a set that is made one cluster after the other.

    `available`, `quotas`: what it may use, including what it holds now. `divide`: divides its replicas among
    the clusters of the set; exactly where that is not said.

    A placement that keeps the workload's own rules; None where it does not choose, or none was found.
    """
    copies, spreads = workload.rule(Duplicated), workload.rules_of(Spread)
    if not workload.replicas or (copies is None and workload.rule(Total) is None):
        return None
    if not spreads and workload.rule(Aggregated) is None and not (copies and copies.choice):
        return None
    boxed = box_of(workload, problem, available, quotas)
    least = dict(zip(boxed.names, fewest_in_use(workload, boxed).tolist(), strict=True))
    chosen = _chosen(workload, boxed, least, spreads)
    answer: Mapping[str, int] | None = {name: least[name] for name in chosen}
    if copies is None:
        inside = np.array([name in chosen for name in boxed.names], dtype=bool)
        lower = np.where(inside, [least[name] for name in boxed.names], 0)
        box = Box(lower, np.where(inside, boxed.box.upper, 0), boxed.box.total)
        rules = tuple(rule for rule in workload.rules if not isinstance(rule, Aggregated))
        bare = replace(workload, rules=rules)
        answer = divide(bare, problem, WorkloadBox(boxed.names, box)) if box.feasible else None
    return None if answer is None or any(violations_of(workload, answer)) else answer


def _chosen(
    workload: Workload, boxed: WorkloadBox, least: Mapping[str, int], spreads: Sequence[Spread]
) -> frozenset[str]:
    """Return clusters that have to be used, then those that bring a missing group, then room."""
    divided = workload.rule(Duplicated) is None
    room = dict(zip(boxed.names, boxed.box.upper.tolist(), strict=True))
    used = [_GroupsInUse(rule) for rule in spreads]
    bounded = _SetRoom({inside: most for inside, (_, most) in asked_of(workload, boxed).ranges.items()})
    chosen: set[str] = set()
    held = offered = 0

    def take(name: str) -> None:
        nonlocal held, offered
        chosen.add(name)
        held, offered = held + least[name], offered + bounded.take(name, room[name])
        for each in used:
            each.take(name)

    def may_be_used(name: str) -> bool:
        if name in chosen or room[name] < least[name] or any(each.forbids(name) for each in used):
            return False
        return not divided or held + least[name] <= boxed.box.total

    for name in compress(boxed.names, boxed.box.lower.tolist() if divided else ()):
        take(name)
    order = sorted(boxed.names, key=lambda name: (-workload.current.get(name, 0), -room[name], name))
    # Groups that are missing come first, those of clusters that can take something before all others.
    for groups_first, taking in ((True, True), (True, False), (False, True)):
        for name in order:
            enough = divided and offered >= boxed.box.total
            if enough if not groups_first else not any(each.is_short for each in used):
                break
            wanted = not groups_first or any(each.misses(name) for each in used)
            if wanted and may_be_used(name) and (bounded.left(name, room[name]) or not taking):
                take(name)
    return frozenset(chosen)


class _SetRoom:
    """Room of sets of clusters, in replicas: what a rule allows them, less what others of them take."""

    def __init__(self, most: Mapping[frozenset[str], int]) -> None:
        self._left = dict(most)

    def left(self, name: str, room: int) -> int:
        """Return how much of its room a cluster can take."""
        return min([room, *(left for inside, left in self._left.items() if name in inside)])

    def take(self, name: str, room: int) -> int:
        """Use a cluster; return how much it can take."""
        taken = self.left(name, room)
        for inside in self._left:
            if name in inside:
                self._left[inside] -= taken
        return taken


class _GroupsInUse:
    """The groups of a constraint that are in use so far."""

    def __init__(self, rule: Spread) -> None:
        self._rule = rule
        self._groups: set[str] = set()
        self._of: dict[str, set[str]] = {}
        for group, names in rule.groups.items():
            for name in names:
                self._of.setdefault(name, set()).add(group)

    def take(self, name: str) -> None:
        """Use a cluster."""
        self._groups |= self._of.get(name, set())

    @property
    def is_short(self) -> bool:
        """Whether there are too few groups so far."""
        return len(self._groups) < self._rule.minimum

    def misses(self, name: str) -> bool:
        """Tell whether a cluster brings a group while there are too few."""
        return self.is_short and not self._of.get(name, set()) <= self._groups

    def forbids(self, name: str) -> bool:
        """Tell whether a cluster would bring a group too many."""
        grown = len(self._groups | self._of.get(name, set()))
        return self._rule.maximum is not None and grown > max(self._rule.maximum, len(self._groups))


Whole = NDArray[np.int64]

MOST_PRODUCT = 2**62
"""Products of replicas up to which 64 bits are used."""


def place_quickly(
    workload: Workload, problem: Problem, available: Available, quotas: Sequence[Allowance]
) -> Mapping[str, int] | None:
    """Place a workload on any clusters that will do, in a fraction of a millisecond.

    `problem`: where it belongs. `available`, `quotas`: what it may use, including what it holds now.

    A placement that keeps the workload's own rules; None where none was found.
    """
    copies = workload.rule(Duplicated)
    if copies is None and workload.rule(Total) is None:
        return None
    if _may_stay(workload, problem, available, quotas):
        return workload.current
    if not workload.replicas:
        answer: Mapping[str, int] | None = {}
    elif workload.rules_of(Spread) or workload.rule(Aggregated) is not None or (copies and copies.choice):
        answer = choose_greedily(workload, problem, available, quotas, _divided)
    else:
        boxed = box_of(workload, problem, available, quotas)
        answer = fill(workload, boxed) if boxed.box.feasible else None
    return None if answer is None or any(violations_of(workload, answer)) else answer


def _may_stay(
    workload: Workload, problem: Problem, available: Available, quotas: Sequence[Allowance]
) -> bool:
    """Tell whether what runs keeps the workload's own rules, and there is room for it."""
    used = usage_of(workload, workload.current, problem) if workload.current else {}
    return (
        bool(workload.current)
        and all(amount <= available.get(row, 0) for row, amount in used.items())
        and all(each.fits(workload, workload.current) for each in quotas)
        and not any(violations_of(workload, workload.current))
    )


def _divided(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Mapping[str, int] | None:
    """Divide replicas by weight and by room, exactly only where that breaks a rule."""
    found = fill(workload, boxed)
    return found if not any(violations_of(workload, found)) else exactly(workload, problem, boxed)


def fill(workload: Workload, boxed: WorkloadBox) -> dict[str, int]:
    """Return a division between the fewest and the most of every candidate, or as much as fits.

    Where not all minima fit, or more is asked for than fits, the most of every candidate goes before its
    fewest, and what cannot be placed is left out.
    """
    total = boxed.box.total
    wishes = np.array([min(total, each) for each in wished(workload, boxed.names)], dtype=np.int64)
    found = filled(boxed.box.lower, boxed.box.upper, total, wishes)
    return {name: count for name, count in zip(boxed.names, found.tolist(), strict=True) if count}


def filled(lower: Whole, upper: Whole, total: Whole | int, wishes: Whole) -> Whole:
    """Return divisions between the fewest and the most of every candidate, as near to a wish as that allows.

    `lower`, `upper`, `wishes`: fewest, most and wished replicas by candidate; of several workloads one a row.
    `total`: all replicas together; of several workloads one by row.

    Replicas by candidate; their sum is the total, or the most that fits.
    """
    lower = np.minimum(lower, upper)
    if (lower.sum(axis=-1) > total).any():
        lower = _shares(lower, np.minimum(total, lower.sum(axis=-1)))
    found: Whole = np.maximum(lower, np.minimum(upper, wishes))
    missing = np.minimum(total, upper.sum(axis=-1)) - found.sum(axis=-1)
    if (missing > 0).any():
        found = found + _shares(upper - found, np.maximum(missing, 0))
    if (missing < 0).any():
        found = found - _shares(found - lower, np.maximum(-missing, 0))
    return found


def wished(workload: Workload, names: Sequence[str]) -> list[int]:
    """Return the replicas that run now or, where none do, the whole part of every share, by cluster."""
    if workload.current:
        return [*map(workload.current.get, names, repeat(0))]
    rule = workload.rule(Weights)
    weights = rule.weights if rule else {}
    weighed = [*map(weights.get, names, repeat(0))]
    if rule and rule.tiers:
        weighed = [weight * (name in rule.tiers[0]) for name, weight in zip(names, weighed, strict=True)]
    whole = sum(weighed)
    return [workload.replicas * weight // whole if whole else 0 for weight in weighed]


def _shares(room: Whole, count: Whole) -> Whole:
    """Return a number by row given out in the ratio of the room, the rest where most room is left."""
    whole, counts = np.maximum(room.sum(axis=-1, keepdims=True), 1), count[..., None]
    if int(count.max(initial=0)) * int(room.max(initial=0)) >= MOST_PRODUCT:
        shares: Whole = (counts * room.astype(object) // whole).astype(np.int64)
    else:
        shares = counts * room // whole
    rest = count - shares.sum(axis=-1)
    if rest.any():
        ranks = (shares - room).argsort(axis=-1, kind="stable").argsort(axis=-1)
        shares += ranks < rest[..., None]
    return shares
