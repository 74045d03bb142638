"""Waves as a CP-SAT model: as few as possible, or as much as possible in one.

For every workload, every cluster it may use and every wave there are four whole numbers: started, stopped
after that, stopped before that, stopped for good. The rows are those of `WaveBuilder`, at the same moments.
Where a rule with gaps is broken at the start, the model allows what is no worse than at the start, which is
more than the rule allows later; so "no" is proven, and a "yes" is looked at once more.
"""

import math
from collections.abc import Mapping

from ortools.sat.python import cp_model

from fairlead.solver.plan.greedy import Steps
from fairlead.solver.plan.migration import Migration, Place, WorkloadPath, changing, left_over
from fairlead.solver.plan.steps import WaveStep, total
from fairlead.solver.plan.transient import WaveMoment
from fairlead.solver.plan.wave_rows import Expression, Places, WaveMoments, WaveRows
from fairlead.solver.plan.waves import MoveOrder
from fairlead.solver.running.engine import run
from fairlead.solver.running.search import RunLimits, Verdict

KINDS = ("starts", "late", "early", "gone")


class WaveModel:
    """A model under construction."""

    def __init__(self, migration: Migration, waves: int, *, everywhere: bool) -> None:
        self.model = cp_model.CpModel()
        self.migration = migration
        self.waves = waves
        self.everywhere = everywhere
        self.variables: dict[tuple[str, str, int, str], cp_model.IntVar] = {}
        self.standing: dict[str, list[Places]] = {}
        self.rows = WaveRows(self.model, migration)
        moments: list[dict[str, WaveMoments]] = [{} for _ in range(waves)]
        for path in migration.paths.values():
            self.standing[path.key] = [dict(path.start)]
            for number in range(waves):
                moments[number][path.key] = self._wave(path, number)
            self._totals(path)
        for number, then in enumerate(moments):
            self._most_moves(number)
            self._capacity(number, then)
            for key in then:
                self.rows.own(migration.paths[key], number, then[key])
            for group in migration.companions:
                self.rows.companions(group, number, then)

    def reach(self, effort: RunLimits) -> tuple[Verdict, tuple[Steps, ...]]:
        """Return waves that end at the target, and stop and wait as little as possible on the way."""
        for key, places in self.standing.items():
            target = self.migration.paths[key].target
            for cluster in sorted(places[-1].keys() | target.keys()):
                self.rows.require(places[-1].get(cluster, 0) == target.get(cluster, 0))
        return self._solved({"early": 1, "starts": 1} if self.everywhere else {"early": 1}, effort)

    def nearest(self, effort: RunLimits) -> tuple[Steps, ...]:
        """Return waves that move the most replicas, stopping as few first as possible; empty for none."""
        weight = 1 + sum(total(path.start) for path in self.migration.paths.values())
        return self._solved({"early": 1, "starts": -weight, "gone": -weight}, effort)[1]

    def _solved(self, costs: Mapping[str, int], effort: RunLimits) -> tuple[Verdict, tuple[Steps, ...]]:
        """Run the model with costs by kind of number, and read the waves."""
        keys = list(self.variables)
        cost = [
            (variable, each)
            for kind, each in costs.items()
            for (_, _, _, own), variable in self.variables.items()
            if own == kind
        ]
        finding = run(self.model, list(self.variables.values()), cost, (), effort)
        if finding.values is None:
            return finding.verdict, ()
        found: list[dict[str, dict[str, dict[str, int]]]] = [{} for _ in range(self.waves)]
        for (key, cluster, number, kind), value in zip(keys, finding.values, strict=True):
            if value:
                found[number].setdefault(key, {}).setdefault(kind, {})[cluster] = value
        return finding.verdict, tuple(
            {key: WaveStep(**kinds).without_exchange() for key, kinds in sorted(wave.items())}
            for wave in found
            if wave
        )

    def _wave(self, path: WorkloadPath, number: int) -> WaveMoments:
        """Add the numbers of one workload in one wave and return what stands at its moments."""
        before = self.standing[path.key][-1]
        out, into = left_over(path, path.start)
        most = max(total(path.start), total(path.target))
        under_way, stopped, started, end = dict(before), dict(before), dict(before), dict(before)
        for cluster in changing(path, everywhere=self.everywhere):
            limit = most if self.everywhere else 0
            may_start = cluster in path.constraints.open or cluster in into
            start = self._number(path, cluster, number, "starts", (limit or into.get(cluster, 0)) * may_start)
            stops = limit or out.get(cluster, 0)
            first, last = path.order is not MoveOrder.START_FIRST, path.order is not MoveOrder.STOP_FIRST
            early = self._number(path, cluster, number, "early", stops * first)
            late = self._number(path, cluster, number, "late", stops * last)
            gone = self._number(
                path, cluster, number, "gone", stops * (total(path.start) > total(path.target))
            )
            held = before.get(cluster, 0)
            under_way[cluster] = held - gone
            stopped[cluster] = held - gone - early
            started[cluster] = stopped[cluster] + start
            end[cluster] = started[cluster] - late
            # What is where it belongs stays there, whatever detour others make.
            stays = min(path.start.get(cluster, 0), path.target.get(cluster, 0))
            self.rows.require(stopped[cluster] - late >= stays)
            if self.everywhere:
                self._ceiling(path, cluster, started[cluster])
        self.standing[path.key].append(end)
        moments = (under_way, stopped, started, end)
        names = (WaveMoment.UNDER_WAY, WaveMoment.STOPPED, WaveMoment.STARTED, WaveMoment.AFTER)
        return WaveMoments(before, dict(zip(names, moments, strict=True)))

    def _number(self, path: WorkloadPath, cluster: str, number: int, kind: str, most: int) -> Expression:
        """Return a number of replicas from 0 to a most; no variable where that is 0."""
        if not most:
            return 0
        variable = self.model.new_int_var(0, most, f"{kind} {path.key} {cluster} {number}")
        self.variables[path.key, cluster, number, kind] = variable
        return variable

    def _ceiling(self, path: WorkloadPath, cluster: str, highest: Expression) -> None:
        """Keep a cluster below its most, or what it holds anyway."""
        most = path.constraints.open.get(cluster, 0)
        if most is not None:
            goal = self.migration.goals[path.key]
            self.rows.require(highest <= max(most, path.start.get(cluster, 0), goal.get(cluster, 0)))

    def _totals(self, path: WorkloadPath) -> None:
        """Stop for good, and start without stopping, only as many as the totals differ by."""
        change = total(path.target) - total(path.start)
        clusters = changing(path, everywhere=self.everywhere)
        fresh: list[Expression] = []
        gone: list[Expression] = []
        for number in range(self.waves):
            sums: dict[str, Expression] = {
                kind: sum(self.variables.get((path.key, cluster, number, kind), 0) for cluster in clusters)
                for kind in KINDS
            }
            fresh.append(sums["starts"] - sums["late"] - sums["early"])
            gone.append(sums["gone"])
            self.rows.require(fresh[-1] >= 0)
        self.rows.require(sum(fresh) <= max(0, change))
        self.rows.require(sum(gone) <= max(0, -change))

    def _most_moves(self, number: int) -> None:
        """Start, and stop for good, no more in a wave than it may move."""
        most = self.migration.most_moves
        if most is not None:
            made = (
                variable
                for (_, _, wave, kind), variable in self.variables.items()
                if wave == number and kind in ("starts", "gone")
            )
            self.rows.require(sum(made) <= most)

    def _capacity(self, number: int, moments: dict[str, WaveMoments]) -> None:
        """Keep what is used with both copies of everything that moves below the limits.

        A row is divided by the greatest common divisor, and left out where it holds whatever moves: models
        count in 64 bits.
        """
        asked: dict[Place, list[tuple[int, WorkloadPath, str]]] = {}
        for key in moments:
            path = self.migration.paths[key]
            for cluster in changing(path, everywhere=self.everywhere):
                for place, need in path.needs.get(cluster, {}).items():
                    asked.setdefault(place, []).append((need, path, cluster))
        for place, asking in asked.items():
            unit = math.gcd(*(need for need, _, _ in asking)) or 1
            at_start = most = 0
            before: Expression = 0
            peak: Expression = 0
            for need, path, cluster in asking:
                each, then = need // unit, moments[path.key]
                at_start += each * path.start.get(cluster, 0)
                most += each * 2 * max(total(path.start), total(path.target))
                before = before + each * then.before.get(cluster, 0)
                peak = peak + each * then.at[WaveMoment.STARTED].get(cluster, 0)
            # What does not change is used by others, or by workloads that stay on this cluster.
            others = self.migration.used.get(place, 0) - unit * at_start
            limit = (self.migration.limits[place] - others) // unit
            if most > limit:
                self.rows.at_most(peak, limit, at_start, before if number else at_start)
