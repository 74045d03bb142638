"""Clusters chosen greedily, what runs and room first, where there is no exact way (groups that overlap)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np

from fairlead.models.check import violations_of
from fairlead.models.problem import Problem
from fairlead.models.rules import Aggregated, Duplicated, Spread, Total
from fairlead.models.rules.quota import Allowance
from fairlead.models.workload import Workload
from fairlead.solver.exact.allocation import allocate
from fairlead.solver.exact.boxes import Available, WorkloadBox, box_of, fewest_in_use
from fairlead.solver.exact.marginal import Box

Divide = Callable[[Workload, Problem, WorkloadBox], Mapping[str, int] | None]
"""Divides the replicas of a workload inside its box; None where it finds no division."""


def choose_greedily(
    workload: Workload,
    problem: Problem,
    available: Available,
    quotas: Sequence[Allowance],
    divide: Divide = allocate,
) -> Mapping[str, int] | None:
    """Place a workload that may choose its clusters on a set that is made one cluster after the other.

    Parameters
    ----------
    available, quotas
        What it may use, including what it holds now.
    divide
        Divides its replicas among the clusters of the set; exactly where that is not said.

    Returns
    -------
    mapping or None
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
    used = [_Used(rule) for rule in spreads]
    chosen: set[str] = set()
    held = offered = 0

    def take(name: str) -> None:
        nonlocal held, offered
        chosen.add(name)
        held, offered = held + least[name], offered + room[name]
        for each in used:
            each.take(name)

    for name in compress(boxed.names, boxed.box.lower.tolist() if divided else ()):
        take(name)
    order = sorted(boxed.names, key=lambda name: (-workload.current.get(name, 0), -room[name], name))
    for groups_first in (True, False):
        for name in order:
            enough = divided and offered >= boxed.box.total
            if enough if not groups_first else not any(each.is_short for each in used):
                break
            if name in chosen or room[name] < least[name] or any(each.forbids(name) for each in used):
                continue
            if divided and held + least[name] > boxed.box.total:
                continue
            if not groups_first or any(each.misses(name) for each in used):
                take(name)
    return frozenset(chosen)


class _Used:
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
