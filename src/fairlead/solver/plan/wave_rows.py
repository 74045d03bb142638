"""The rows of one wave that say what a workload's own rules, its availability and its companions allow."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations
from typing import Any, NamedTuple

from ortools.sat.python import cp_model

from fairlead.models.errors import InternalError
from fairlead.models.requirement import Among, Groups, Outside
from fairlead.models.rules.skew import Apart
from fairlead.models.rules.survival import Survivors
from fairlead.solver.plan.constraints import FEWEST, MissedAmount, PathLimit
from fairlead.solver.plan.migration import Companions, Migration, WorkloadPath
from fairlead.solver.plan.steps import total
from fairlead.solver.plan.transient import WaveMoment

Expression = Any
"""A linear expression of OR-Tools, or a whole number."""
Places = dict[str, Expression]
"""Replicas by cluster."""
When = tuple[int, WaveMoment]
"""Number of a wave, and a moment in it."""


class WaveMoments(NamedTuple):
    """Replicas by cluster before a wave and at each of its moments, as expressions of a model."""

    before: Places
    at: Mapping[WaveMoment, Places]


class WaveRows:
    """Adds rows to a model."""

    def __init__(self, model: cp_model.CpModel, migration: Migration) -> None:
        self.model = model
        self.migration = migration
        self._stands: dict[tuple[str, str, int, WaveMoment], cp_model.IntVar] = {}

    def require(self, row: Expression) -> None:
        """Add a row; one without variables is a truth value."""
        if isinstance(row, bool):
            if not row:
                self.model.add_bool_or([])
            return
        self.model.add(row)

    def at_most(self, value: Expression, limit: int, at_start: int, before: Expression) -> None:
        """Keep a value below a limit, or below what it was before the wave where it begins above."""
        if at_start <= limit or isinstance(before, int):
            self.require(value <= max(limit, at_start))
            return
        most = self.model.new_int_var(limit, at_start, "")
        self.model.add_max_equality(most, [limit, before])
        self.require(value <= most)

    def at_least(self, value: Expression, least: int, at_start: int, before: Expression) -> None:
        """Keep a value above a number, or above what it was before the wave where it begins below."""
        if at_start >= least or isinstance(before, int):
            self.require(value >= min(least, at_start))
            return
        fewest = self.model.new_int_var(min(at_start, least), least, "")
        self.model.add_min_equality(fewest, [least, before])
        self.require(value >= fewest)

    def own(self, path: WorkloadPath, number: int, then: WaveMoments) -> None:
        """Add the availability and the rules of one workload."""
        running, before = total(path.start), _sum(then.before)
        for moment in FEWEST:
            self.at_least(_sum(then.at[moment]), path.least, running, before)
        if path.most is not None:
            # Stopping for good alone is never too much, whatever runs.
            self.at_most(_sum(then.at[WaveMoment.STARTED]), path.most, running, before)
        for limit in path.constraints.limits:
            # These have no row; waves that break them are refused once they are found.
            if not isinstance(limit.scope, MissedAmount) and not (
                limit.where_held and isinstance(limit.scope, Survivors)
            ):
                self._limit(limit, path, number, then)
        self._gaps(path, number, then)

    def _limit(self, limit: PathLimit, path: WorkloadPath, number: int, then: WaveMoments) -> None:
        """Add a rule over several clusters; what is broken at the start or in the target is no fault."""
        at_start, in_target = limit.of(path.start), limit.of(self.migration.goals[path.key])
        before: Expression = at_start
        if number:
            before = self._amount(limit, path, (number - 1, WaveMoment.AFTER), then.before)
        for moment in limit.binds:
            amount = self._amount(limit, path, (number, moment), then.at[moment])
            self.at_least(amount, min(limit.least, in_target), at_start, before)
        if limit.most is not None:
            amount = self._amount(limit, path, (number, WaveMoment.AFTER), then.at[WaveMoment.AFTER])
            self.at_most(amount, max(limit.most, in_target), at_start, before)

    def _amount(self, limit: PathLimit, path: WorkloadPath, when: When, placed: Places) -> Expression:
        """Return how many replicas groups hold at a moment, or how many groups hold replicas."""
        match limit.scope:
            case Groups() as scope:
                return self._groups(tuple(scope.groups.values()), path, when, placed)
            case Among() as scope:
                return _sum(placed, scope.clusters)
            case Outside() as scope:
                left = _sum(placed, placed.keys() - scope.clusters)
                if not limit.where_held:
                    return left
                return left + limit.least * (1 - self._groups((scope.clusters,), path, when, placed))
            case Survivors() as scope:
                return self._left([lost for _, lost in scope.choices(placed.keys())], placed, path)
            case Apart() as scope:
                return self._apart([_sum(placed, clusters) for clusters in scope.groups.values()], path)
            case _:
                raise InternalError(f"no row counts {type(limit.scope).__name__}")

    def _left(self, losses: Sequence[frozenset[str]], placed: Places, path: WorkloadPath) -> Expression:
        """Return how many replicas the worst of some losses leaves."""
        left = [_sum(placed, placed.keys() - lost) for lost in losses]
        if all(isinstance(each, int) for each in left):
            return min(left)
        least = self.model.new_int_var(0, total(path.start) + total(self.migration.goals[path.key]), "")
        self.model.add_min_equality(least, left)
        return least

    def _apart(self, held: Sequence[Expression], path: WorkloadPath) -> Expression:
        """Return how far the fullest and the emptiest of some groups differ."""
        if all(isinstance(each, int) for each in held):
            return max(held, default=0) - min(held, default=0)
        most = total(path.start) + total(self.migration.goals[path.key])
        fullest, emptiest = (self.model.new_int_var(0, most, "") for _ in range(2))
        self.model.add_max_equality(fullest, held)
        self.model.add_min_equality(emptiest, held)
        return fullest - emptiest

    def _groups(
        self, groups: Sequence[frozenset[str]], path: WorkloadPath, when: When, placed: Places
    ) -> Expression:
        """Return how many groups hold replicas."""
        used: list[Expression] = []
        for group in groups:
            marks = [
                self._stands_on(path.key, cluster, when, placed[cluster])
                for cluster in sorted(group & placed.keys())
            ]
            if any(mark is True for mark in marks):
                used.append(1)
                continue
            literals = [mark for mark in marks if not isinstance(mark, bool)]
            if len(literals) == 1:
                used.append(literals[0])
            elif literals:
                either = self.model.new_bool_var("")
                self.model.add_max_equality(either, literals)
                used.append(either)
        return sum(used)

    def _stands_on(self, key: str, cluster: str, when: When, replicas: Expression) -> Expression:
        """Return a literal for whether replicas stand on a cluster; a truth value where that is known."""
        if isinstance(replicas, int):
            return replicas > 0
        place = (key, cluster, *when)
        if place not in self._stands:
            literal = self.model.new_bool_var(f"stands {key} {cluster} {when[0]} {when[1]}")
            self.model.add(replicas >= 1).only_enforce_if(literal)
            self.model.add(replicas == 0).only_enforce_if(~literal)
            self._stands[place] = literal
        return self._stands[place]

    def _gaps(self, path: WorkloadPath, number: int, then: WaveMoments) -> None:
        """Keep clusters at 0, or at numbers that are no worse than at the start or in the target."""
        rules, goal = path.constraints, self.migration.goals[path.key]
        for cluster in sorted(rules.uneven):
            allowed = max(rules.gap(cluster, path.start), rules.gap(cluster, goal))
            least = rules.gaps.get(cluster, 0) - allowed
            most = None
            if cluster in rules.copies:
                least = max(least, rules.copies[cluster] - allowed)
                most = rules.copies[cluster] + allowed
            for moment in FEWEST:
                replicas = then.at[moment].get(cluster, 0)
                if isinstance(replicas, int):
                    continue
                literal = self._stands_on(path.key, cluster, (number, moment), replicas)
                self.model.add(replicas >= least).only_enforce_if(literal)
                if most is not None:
                    self.model.add(replicas <= most).only_enforce_if(literal)

    def companions(self, group: Companions, number: int, then: Mapping[str, WaveMoments]) -> None:
        """Keep workloads together or apart; what is wrong at the start or in the target is left alone."""
        for earlier, later in combinations(group.members, 2):
            wrong = self._wrong(group, earlier, later)
            for cluster in self.migration.regions:
                for moment in (
                    (WaveMoment.STOPPED, WaveMoment.STARTED, WaveMoment.AFTER) if cluster not in wrong else ()
                ):
                    first = self._literal(earlier, cluster, (number, moment), then)
                    second = self._literal(later, cluster, (number, moment), then)
                    self._exclude(second, first if not group.together else _negated(first))

    def _wrong(self, group: Companions, earlier: str, later: str) -> set[str]:
        """Return where two workloads stand against their rule at the start or in the target."""
        found: set[str] = set()
        for placed in ({**self.migration.still, **self.migration.start()}, self.migration.goals):
            first, second = set(placed.get(earlier, {})), set(placed.get(later, {}))
            found |= second - first if group.together else second & first
        return found

    def _literal(self, key: str, cluster: str, when: When, then: Mapping[str, WaveMoments]) -> Expression:
        """Return whether a workload stands on a cluster at a moment."""
        if key not in then:
            return self.migration.still.get(key, {}).get(cluster, 0) > 0
        return self._stands_on(key, cluster, when, then[key].at[when[1]].get(cluster, 0))

    def _exclude(self, first: Expression, second: Expression) -> None:
        """Forbid that both are true."""
        if first is False or second is False:
            return
        literals = [~each for each in (first, second) if not isinstance(each, bool)]
        self.model.add_bool_or(literals)


def _negated(literal: Expression) -> Expression:
    """Return the opposite of a literal or a truth value."""
    return not literal if isinstance(literal, bool) else ~literal


def _sum(places: Places, group: AbstractSet[str] | None = None) -> Expression:
    """Return the replicas on some clusters; on all of them where none are named."""
    # sum() makes new expressions; += would change one that other rows use.
    return sum(replicas for cluster, replicas in places.items() if group is None or cluster in group)
