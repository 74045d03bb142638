"""Workloads that compete: as few of them together as it takes to prove the best.

Leave out everything that workloads share. Then each stands as it would alone, and what they need alone bounds
every level from below. Where the clusters have room for all of it, that is the best placement. Where a row
of capacity runs out, the workloads that use it are solved together, every other one stays as it is: one that
uses nothing of the row only gets worse by standing elsewhere and helps nobody. The next row that runs out
brings workloads together in the same way, until none does. What is solved is always a problem with fewer
rules, so its bounds hold for the whole, and its optimum, once it keeps all rules, is the optimum.

Work grows with what runs out, not with the number of workloads.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile

from fairlead.models.check import shared_violations
from fairlead.models.outcome import Attained, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity, MoveBudget, SharedRule, Total
from fairlead.models.rules.move_budget import moved_by
from fairlead.models.score import levels_of, score
from fairlead.models.usage import Row, usage, usage_of
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import PartAnswer, added, among, overfull, proven
from fairlead.solver.answers.attainment import Apart

Together = Callable[[Problem, tuple[Attained, ...]], PartAnswer]
"""Solves workloads that compete, of which what they need alone is known (empty: not known)."""


@dataclass(slots=True)
class CoupledGroups:
    """Workloads by who is solved together with whom; at first everybody is alone."""

    part: Problem
    """Problem that they belong to; its limits are what they may use together."""
    placed: dict[str, Mapping[str, int]]
    """Replicas by cluster of every workload as it stands now, by key."""
    alone: dict[str, Mapping[str, int]] = field(default_factory=dict)
    """Replicas by cluster of those whose best place by themselves is proven, by key."""
    answers: dict[str, PartAnswer] = field(default_factory=dict)
    """The answers of groups, by the first of their keys; absent for workloads that are alone."""
    first: dict[str, str] = field(default_factory=dict)
    """The first key of the group of every workload."""

    def find(self, key: str) -> str:
        """Return the first key of a workload's group."""
        return self.first.get(key, key)

    def join(self, keys: Iterable[str]) -> str | None:
        """Put the groups of some workloads together; return the first key, None where nothing is joined."""
        found = sorted({self.find(key) for key in keys})
        if len(found) < 2:
            return None
        for key in self.placed:
            if self.find(key) in found:
                self.first[key] = found[0]
        for each in found:
            self.answers.pop(each, None)
        return found[0]

    def members(self, first: str) -> tuple[Workload, ...]:
        """Return the workloads of a group."""
        return tuple(each for each in self.part.workloads if self.find(each.key) == first)

    def take(self, first: str, answer: PartAnswer) -> None:
        """Take the answer of a group."""
        self.answers[first] = answer
        if answer.placement is not None:
            self.placed.update({each.key: answer.placement.of(each.key) for each in answer.part.workloads})

    def refuted(self) -> bool:
        """Tell whether a group has no placement: then the whole has none."""
        return any(each.status is Status.INFEASIBLE for each in self.answers.values())

    def complete(self) -> bool:
        """Tell whether every group has a placement."""
        return all(each.placement is not None for each in self.answers.values())

    def needed(self, problem: Problem) -> tuple[Attained, ...]:
        """Return the levels of what some workloads need alone; empty where that is not proven of all."""
        if not all(each.key in self.alone for each in problem.workloads):
            return ()
        return proven(
            problem, Placement({each.key: self.alone[each.key] for each in problem.workloads})
        ).attained

    def apart(self, placement: Placement) -> Apart:
        """Return who is solved by himself, on the first levels where a placement is as good as these."""
        sizes = Counter(map(self.find, self.placed))
        keys = frozenset(key for key in self.alone if sizes[self.find(key)] == 1)
        levels = zip(levels_of(self.part), self.attained(), score(self.part, placement), strict=True)
        reached = takewhile(lambda each: each[1].proven and each[1].value == each[2].value, levels)
        return {level: keys for level, _, _ in reached}

    def attained(self) -> tuple[Attained, ...]:
        """Return levels of all groups together, with bounds that hold for the whole."""
        single = [each for each in self.part.workloads if self.find(each.key) not in self.answers]
        alone = by_themselves(self.part, tuple(single))
        held = Placement({each.key: self.placed[each.key] for each in single})
        return added(self.part, [proven(alone, held), *self.answers.values()])


def coupled(groups: CoupledGroups, together: Together, in_time: Callable[[], bool]) -> bool:
    """Solve the workloads together that compete, and nobody else.

    `groups`: every workload as it stands best where it has all that is shared for itself; in the end where
    everybody stands. `together`: solves workloads that compete; what it calls infeasible is. `in_time`: tells
    whether to go on.

    Whether everybody stands so that all shared rules are kept.
    """
    while not groups.refuted() and groups.complete():
        competing = _competing(groups)
        if not (competing and in_time()):
            return not competing
        joined = [first for first in map(groups.join, competing) if first is not None]
        if not joined:
            return not competing
        for first in sorted({groups.find(first) for first in joined}):
            problem = by_themselves(groups.part, groups.members(first))
            groups.take(first, together(problem, groups.needed(problem)))
    return False


def crowd(groups: CoupledGroups) -> int:
    """Return how many workloads ask for too much of something together."""
    return len(frozenset[str]().union(*_competing(groups)))


def _competing(groups: CoupledGroups) -> list[frozenset[str]]:
    """Return the sets of workloads that ask for too much of something together."""
    part = groups.part
    over = overfull(usage(part.workloads, groups.placed, part), part)
    found = [_users(row, groups) for row in sorted(over)]
    tying = [rule for rule in part.rules if not isinstance(rule, Capacity)]
    placement = Placement(groups.placed) if tying else Placement({})
    broken = (rule for rule in tying if shared_violations(replace(part, rules=(rule,)), placement))
    return [*found, *(_tied(rule, groups, placement) for rule in broken)]


def _tied(rule: SharedRule, groups: CoupledGroups, placement: Placement) -> frozenset[str]:
    """Return the workloads that a broken rule ties together; of a budget those that move."""
    part = groups.part
    tied = rule.tied(part)
    if isinstance(rule, MoveBudget):
        known = map(part.workload, tied)
        moving = (each for each in known if each.rule(Total) is None or moved_by(rule, each, part, placement))
        return frozenset(each.key for each in moving)
    return frozenset(tied)


def by_themselves(part: Problem, workloads: tuple[Workload, ...]) -> Problem:
    """Return the problem of some workloads with the shared rules that hold whatever the others do."""
    keys = frozenset(each.key for each in workloads)
    problem = among(part, workloads, part.limits)
    return replace(problem, rules=tuple(rule for rule in part.rules if _holds_alone(rule, part, keys)))


def keeps_shared_rules(part: Problem, workload: Workload, placed: Mapping[str, int]) -> bool:
    """Tell whether a workload keeps the shared rules, capacity aside, whatever the others do."""
    if all(isinstance(rule, Capacity) for rule in part.rules):
        return True
    alone = by_themselves(part, (workload,))
    tying = replace(alone, rules=tuple(rule for rule in alone.rules if not isinstance(rule, Capacity)))
    return not shared_violations(tying, Placement({workload.key: placed}))


def _holds_alone(rule: SharedRule, part: Problem, keys: frozenset[str]) -> bool:
    """Tell whether a shared rule holds for some of the workloads whatever the others do.

    Of a budget of moves those give others room that have no total: more of them may run than is wanted. A
    budget that is not theirs says nothing of them.
    """
    if isinstance(rule, Capacity):
        return True
    if isinstance(rule, MoveBudget) and not rule.concerns(keys):
        return False
    tied = rule.tied(part)
    others = [key for key in tied if key not in keys]
    if isinstance(rule, MoveBudget):
        return all(part.workload(key).rule(Total) is not None for key in others)
    return bool(tied) and not others


def _users(row: Row, groups: CoupledGroups) -> frozenset[str]:
    """Return the workloads that use a row where they stand now."""
    part = groups.part
    return frozenset(
        each.key
        for each in part.workloads
        if groups.placed[each.key].get(row[0]) and row in usage_of(each, groups.placed[each.key], part)
    )
