"""Evening out: replicas pass from cluster to cluster as long as that fills clusters more evenly."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fairlead.models.check import violations_of
from fairlead.models.levels import BALANCE, Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity
from fairlead.models.rules.balance import Balance, used_by
from fairlead.models.rules.capacity import demands
from fairlead.models.score import in_order, levels_of_workload, value_of
from fairlead.models.usage import Row, add, usage_of
from fairlead.models.workload import Workload
from fairlead.solver.deadline import Deadline
from fairlead.solver.rows import left_by

TRIES = 8
"""So many of the most promising steps of a workload are tried, one after the other."""
LEAST_GAIN = 1e-12
"""Steps that gain less are not looked at: floats only choose what is tried."""


def evened_out(
    problem: Problem,
    rule: Balance,
    placement: Placement,
    target: Fraction,
    until: Deadline,
) -> Placement:
    """Return a placement that fills clusters more evenly, and is no worse on the levels before that.

    Parameters
    ----------
    rule
        Who is to fill clusters together; `Balance.totals` tells what is used in all.
    placement
        Where everybody stands; all rules are kept there.
    target
        How even is enough.
    """
    if not all(isinstance(each, Capacity) for each in problem.rules):
        return placement
    state = _State.of(problem, rule, placement)
    moving = [_Kept.of(each, problem) for each in problem.workloads if each.key in rule.members]
    passing = True
    while passing and state.value > target:
        passing = False
        for kept in moving:
            while until.remaining() and state.value > target and state.passed(kept):
                passing = True
    return Placement(state.placed)


@dataclass(slots=True)
class _State:
    """Where everybody stands, and what that uses."""

    problem: Problem
    rule: Balance
    placed: dict[str, dict[str, int]]
    used: dict[Row, int]
    left: dict[Row, int]

    @classmethod
    def of(cls, problem: Problem, rule: Balance, placement: Placement) -> "_State":
        """Return the state of a placement."""
        placed = placement.to_dict()
        return cls(
            problem,
            rule,
            placed,
            used_by(rule, problem, placement),
            left_by(problem, problem.workloads, placed),
        )

    @property
    def value(self) -> float:
        """How unevenly clusters are filled, about."""
        return sum(
            self._cost(name, resource, share, 0) - float(share)
            for resource, shares in self.rule.shares.items()
            for name, share in shares.items()
        )

    def passed(self, kept: "_Kept") -> bool:
        """Let some replicas of a workload pass to another cluster, where that gains; tell whether it did."""
        workload = kept.workload
        before = self.placed[workload.key]
        steps = sorted(self._steps(workload))[:TRIES]
        most = kept.values(before) if steps else ()
        for _, source, target, count in steps:
            after = dict(before)
            after[source] -= count
            after[target] = after.get(target, 0) + count
            after = {name: held for name, held in after.items() if held}
            change = usage_of(workload, {source: -count, target: count}, self.problem)
            fits = all(self.left.get(row, 0) >= more for row, more in change.items() if more > 0)
            if fits and kept.allows(after, most):
                self.placed[workload.key] = after
                add(self.used, change)
                add(self.left, change, -1)
                return True
        return False

    def _steps(self, workload: Workload) -> Iterator[tuple[float, str, str, int]]:
        """Yield steps with what they change, less than 0: of one replica, and of as many as gain most."""
        names = self.problem.candidates(workload)
        placed = self.placed[workload.key]
        for source in (name for name, count in placed.items() if count):
            for target in names:
                if target == source:
                    continue
                first = self._change(workload, source, target, 1)
                if first > -LEAST_GAIN:
                    continue
                second = self._change(workload, source, target, 2) - first
                best = (
                    1
                    if second <= first
                    else max(1, min(placed[source], round(-first / (second - first)) + 1))
                )
                yield self._change(workload, source, target, best), source, target, best
                if best > 1:
                    yield first, source, target, 1

    def _change(self, workload: Workload, source: str, target: str, count: int) -> float:
        """Return by how much the clusters are filled less evenly where replicas pass."""
        found = 0.0
        for name, sign in ((source, -count), (target, count)):
            needed = demands(workload, self.problem.cluster_by_name[name])
            for resource, shares in self.rule.shares.items():
                if name in shares and resource in needed:
                    more = sign * needed[resource]
                    found += self._cost(name, resource, shares[name], more)
                    found -= self._cost(name, resource, shares[name], 0)
        return found

    def _cost(self, name: str, resource: str, share: Fraction, more: int) -> float:
        """Return u^2 / s of one cluster and resource with some more used there."""
        total = self.rule.totals.get(resource, 0)
        if not total:
            return float(share)
        part = (self.used.get((name, resource), 0) + more) / total
        return part * part / float(share)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a workload has to keep: its rules, and what it costs on the levels before balance."""

    workload: Workload
    single: Problem
    levels: tuple[Level, ...]

    @classmethod
    def of(cls, workload: Workload, problem: Problem) -> "_Kept":
        """Return what a workload has to keep."""
        single = replace(problem, workloads=(workload,), rules=(), balances=())
        ordered = in_order({*levels_of_workload(workload), BALANCE}, problem)
        before = ordered[: ordered.index(BALANCE)]
        return cls(workload, single, tuple(replace(each, priority=workload.priority) for each in before))

    def allows(self, placed: Mapping[str, int], most: Sequence[int | Fraction]) -> bool:
        """Tell whether a placement keeps the rules and is as good on every level."""
        if any(violations_of(self.workload, placed)):
            return False
        return all(cost <= limit for cost, limit in zip(self.values(placed), most, strict=True))

    def values(self, placed: Mapping[str, int]) -> tuple[int | Fraction, ...]:
        """Return what a placement costs on every level."""
        placement = Placement({self.workload.key: placed})
        return tuple(value_of(self.single, placement, level) for level in self.levels)
