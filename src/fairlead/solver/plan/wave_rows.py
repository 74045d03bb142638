"""The rows of one wave that say what a workload's own rules, its availability and its companions allow."""

from itertools import combinations
from typing import Any

from ortools.sat.python import cp_model

from fairlead.solver.plan.constraints import Count
from fairlead.solver.plan.migration import Companions, Fleet, Trip
from fairlead.solver.plan.steps import Placed, total

Expression = Any
"""A linear expression of OR-Tools, or a whole number."""
Places = dict[str, Expression]
"""Replicas by cluster."""
Moments = dict[str, Places]
"""What stands before a wave, with the fewest, as counted, with the most, and at its end."""


class WaveRows:
    """Adds rows to a model.

    Parameters
    ----------
    model
        The model.
    fleet
        What moves.
    """

    def __init__(self, model: cp_model.CpModel, fleet: Fleet) -> None:
        self.model = model
        self.fleet = fleet
        self._stands: dict[str, cp_model.IntVar] = {}

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

    def own(self, trip: Trip, number: int, then: Moments) -> None:
        """Add the availability and the rules of one workload."""
        running = total(trip.start)
        for moment in ("fewest", "end"):
            self.at_least(_sum(then[moment]), trip.least, running, _sum(then["before"]))
        if trip.most is not None:
            # Stopping for good alone is never too much, whatever runs.
            self.at_most(_sum(then["highest"]), trip.most, running, _sum(then["before"]))
        self._sums(trip, then)
        self._counts(trip, number, then)
        self._gaps(trip, number, then)

    def _sums(self, trip: Trip, then: Moments) -> None:
        """Add group totals and survival."""
        terms, start, target = trip.terms, trip.start, self.fleet.goals[trip.key]
        for rule in terms.sums:
            before = _sum(then["before"], rule.group)
            least = min(rule.least, rule.of(target))
            for moment in ("counted", "end"):
                self.at_least(_sum(then[moment], rule.group), least, rule.of(start), before)
            if rule.most is not None:
                most = max(rule.most, rule.of(target))
                self.at_most(_sum(then["end"], rule.group), most, rule.of(start), before)
        for rest in terms.rests:
            outside = frozenset(then["end"]) - rest.group
            least, before = min(rest.least, rest.of(target)), _sum(then["before"], outside)
            for moment in ("fewest", "end"):
                self.at_least(_sum(then[moment], outside), least, rest.of(start), before)

    def _counts(self, trip: Trip, number: int, then: Moments) -> None:
        """Add the numbers of groups."""
        for rule in trip.terms.counts:
            at_start, in_target = rule.of(trip.start), rule.of(self.fleet.goals[trip.key])
            least = min(rule.least, in_target)
            before = self._groups(trip, rule, number - 1, "end", then["before"]) if number else at_start
            for moment in ("fewest", "end") if rule.least > 1 else ("end",):
                used = self._groups(trip, rule, number, moment, then[moment])
                self.at_least(used, least, at_start, before)
            if rule.most is not None:
                used = self._groups(trip, rule, number, "end", then["end"])
                self.at_most(used, max(rule.most, in_target), at_start, before)

    def _groups(self, trip: Trip, rule: Count, number: int, moment: str, then: Places) -> Expression:
        """Return how many groups hold replicas."""
        used: list[Expression] = []
        for group in rule.groups:
            marks = [
                self._stands_on(trip.key, cluster, number, moment, then[cluster])
                for cluster in sorted(group & then.keys())
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

    def _stands_on(
        self, key: str, cluster: str, number: int, moment: str, replicas: Expression
    ) -> Expression:
        """Return a literal for whether replicas stand on a cluster; a truth value where that is known."""
        if isinstance(replicas, int):
            return replicas > 0
        name = f"stands {key} {cluster} {number} {moment}"
        if name not in self._stands:
            literal = self.model.new_bool_var(name)
            self.model.add(replicas >= 1).only_enforce_if(literal)
            self.model.add(replicas == 0).only_enforce_if(~literal)
            self._stands[name] = literal
        return self._stands[name]

    def _gaps(self, trip: Trip, number: int, then: Moments) -> None:
        """Keep clusters at 0, or at numbers that are no worse than at the start or in the target."""
        terms = trip.terms
        for cluster in sorted(terms.gaps.keys() | terms.copies.keys()):
            allowed = max(terms.gap(cluster, trip.start), terms.gap(cluster, self.fleet.goals[trip.key]))
            least = terms.gaps.get(cluster, 0) - allowed
            most = None
            if cluster in terms.copies:
                least = max(least, terms.copies[cluster] - allowed)
                most = terms.copies[cluster] + allowed
            for moment in ("fewest", "end"):
                replicas = then[moment].get(cluster, 0)
                if isinstance(replicas, int):
                    continue
                literal = self._stands_on(trip.key, cluster, number, moment, replicas)
                self.model.add(replicas >= least).only_enforce_if(literal)
                if most is not None:
                    self.model.add(replicas <= most).only_enforce_if(literal)

    def companions(self, group: Companions, number: int, then: dict[str, Moments]) -> None:
        """Keep workloads together or apart; what is wrong at the start or in the target is left alone."""
        for earlier, later in combinations(group.members, 2):
            wrong = self._wrong(group, earlier, later)
            for cluster in self.fleet.regions:
                for moment in ("fewest", "highest", "end") if cluster not in wrong else ():
                    first = self._literal(earlier, cluster, number, moment, then)
                    second = self._literal(later, cluster, number, moment, then)
                    self._exclude(second, first if not group.together else _negated(first))

    def _wrong(self, group: Companions, earlier: str, later: str) -> set[str]:
        """Return where two workloads stand against their rule at the start or in the target."""
        found: set[str] = set()
        for placed in (self._start_of, self._target_of):
            first, second = set(placed(earlier)), set(placed(later))
            found |= second - first if group.together else second & first
        return found

    def _start_of(self, key: str) -> Placed:
        """Return what a workload holds at the start."""
        trip = self.fleet.trips.get(key)
        return trip.start if trip else self.fleet.still.get(key, {})

    def _target_of(self, key: str) -> Placed:
        """Return what a workload holds in the end."""
        return self.fleet.goals[key]

    def _literal(
        self, key: str, cluster: str, number: int, moment: str, then: dict[str, Moments]
    ) -> Expression:
        """Return whether a workload stands on a cluster at a moment."""
        if key not in then:
            return self.fleet.still.get(key, {}).get(cluster, 0) > 0
        return self._stands_on(key, cluster, number, moment, then[key][moment].get(cluster, 0))

    def _exclude(self, first: Expression, second: Expression) -> None:
        """Forbid that both are true."""
        if first is False or second is False:
            return
        literals = [~each for each in (first, second) if not isinstance(each, bool)]
        self.model.add_bool_or(literals)


def _negated(literal: Expression) -> Expression:
    """Return the opposite of a literal or a truth value."""
    return not literal if isinstance(literal, bool) else ~literal


def _sum(places: Places, group: frozenset[str] | None = None) -> Expression:
    """Return the replicas on some clusters; on all of them where none are named."""
    # sum() makes new expressions; += would change one that other rows use.
    return sum(replicas for cluster, replicas in places.items() if group is None or cluster in group)
