"""Small changes: one replica exchanged, a number of replicas pinned from one side, a bound moved by one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

from fairlead.models.levels import DEVIATIONS, Deviation, Level, tier
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Duplicated, GroupTotal, Tiers, Weights, weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.score import in_order, levels_of_workload
from fairlead.models.source import Source
from fairlead.models.variants import exchanged, with_workload
from fairlead.models.workload import Workload
from fairlead.solver.exact.boxes import WorkloadBox
from fairlead.solver.exact.costs.deviations import Minimax, Squares
from fairlead.solver.exact.costs.levels import by_name, cost_of, deviation_from, weights_of
from fairlead.solver.exact.costs.pieces import Number, Numbers, Pieces

Vector = tuple[Number, ...]
"""What changes on every level, the most important first; compared lexicographically."""


class Exchanged(NamedTuple):
    """A single replica that passes from a cluster to another.

    One replica less on the one and one more on the other change so much on every level; the sum counts.
    """

    start: str
    end: str
    levels: tuple[Level, ...]
    less: Vector
    more: Vector


@dataclass(frozen=True)
class Exchanges:
    """The exchanges of one workload around its answer."""

    names: tuple[str, ...]
    """Candidates in name order."""
    placed: Mapping[str, int]
    lower: Mapping[str, int]
    upper: Mapping[str, int]
    parts: Mapping[str, int]
    """Number of the part of every candidate: replicas pass inside a part only; 0 is outside of all exact
    totals."""
    levels: tuple[Level, ...]
    added: Mapping[str, Vector]
    taken: Mapping[str, Vector]
    """What one replica more, and one less, costs by candidate, whatever its bounds are; where none is held
    the latter means nothing."""

    def ends(self, cluster: str, by: int) -> bool:
        """Tell whether the bounds of a cluster leave no replica more there, or no replica less."""
        limit = self.upper if by > 0 else self.lower
        return by * self.placed[cluster] >= by * limit[cluster]

    def to(self, cluster: str) -> Exchanged | None:
        """Return the best exchange that brings a replica to a cluster; None where nobody can give one."""
        start = _first_other(self._givers.get(self.parts[cluster], ()), cluster)
        return None if start is None else self._between(start, cluster)

    def away(self, cluster: str) -> Exchanged | None:
        """Return the best exchange that takes a replica from a cluster; None where nobody can take it."""
        if not self.placed[cluster]:
            return None
        end = _first_other(self._takers.get(self.parts[cluster], ()), cluster)
        return None if end is None else self._between(cluster, end)

    def across(self, start: int, end: int) -> Exchanged | None:
        """Return the best exchange from one part to another; None where there is none."""
        giver = next(iter(self._givers.get(start, ())), None)
        taker = next(iter(self._takers.get(end, ())), None)
        return None if giver is None or taker is None else self._between(giver, taker)

    def _between(self, start: str, end: str) -> Exchanged:
        """Return the exchange between two candidates."""
        return Exchanged(start, end, self.levels, self.taken[start], self.added[end])

    @cached_property
    def _givers(self) -> Mapping[int, Sequence[str]]:
        """The two best candidates of every part to give up a replica."""
        able = [name for name in self.names if self.placed[name] > self.lower[name]]
        return self._best_two(able, self.taken)

    @cached_property
    def _takers(self) -> Mapping[int, Sequence[str]]:
        """The two best candidates of every part to take a replica."""
        able = [name for name in self.names if self.placed[name] < self.upper[name]]
        return self._best_two(able, self.added)

    def _best_two(self, able: Iterable[str], cost: Mapping[str, Vector]) -> Mapping[int, Sequence[str]]:
        """Return the two cheapest of every part, ties to the first by name."""
        inside: dict[int, list[str]] = {}
        for name in able:
            inside.setdefault(self.parts[name], []).append(name)
        found = {}
        for part, names in inside.items():
            best = min(names, key=cost.__getitem__)
            others = (name for name in names if name != best)
            found[part] = [best, *filter(None, [min(others, key=cost.__getitem__, default="")])]
        return found


def exchanges_of(
    workload: Workload, problem: Problem, boxed: WorkloadBox, placed: Mapping[str, int]
) -> Exchanges | None:
    """Return the exchanges around what exact marginal allocation has found for a workload.

    None where a level is not the sum of what single clusters cost: one exchange may not be enough.
    """
    if workload.rule(Duplicated) is not None:
        return None
    ordered = in_order(levels_of_workload(workload), problem)
    levels = tuple(replace(level, priority=workload.priority) for level in ordered)
    names, lower, upper = boxed.names, boxed.box.lower.tolist(), boxed.box.upper.tolist()
    costs = [_costs(level.base, workload, problem, names, placed) for level in levels]
    known = [each for each in costs if each]
    if len(known) < len(costs) or not _tiers_come_first(levels, workload):
        return None
    held = by_name(names, placed)
    taken = [tuple(-each for each in vector) for vector in _vectors(known, held - 1)]
    return Exchanges(
        names,
        dict(zip(names, held.tolist(), strict=True)),
        dict(zip(names, lower, strict=True)),
        dict(zip(names, upper, strict=True)),
        _parts(workload, names),
        levels,
        dict(zip(names, _vectors(known, held), strict=True)),
        dict(zip(names, taken, strict=True)),
    )


def _costs(
    level: Level, workload: Workload, problem: Problem, names: Sequence[str], placed: Mapping[str, int]
) -> Sequence[Pieces | Squares]:
    """Return costs that add up to a level; none where it is no sum over clusters."""
    if level not in DEVIATIONS:
        cost = cost_of(level, workload, names)
        return () if cost is None or cost.using is not None else (cost,)
    rule = workload.rule(Weights)
    if rule is None or problem.deviation is Deviation.MINIMAX:
        return ()
    found: list[Pieces | Squares] = []
    for inside in rule.tiers or (None,):
        replicas = workload.replicas if inside is None else sum(placed.get(name, 0) for name in inside)
        weights, whole = weights_of(rule, names, inside)
        distance = deviation_from(weights, whole, replicas, problem.deviation, passing=True)
        if not isinstance(distance, Minimax):
            found.append(distance)
    return found


def _vectors(levels: Sequence[Sequence[Pieces | Squares]], replicas: Numbers) -> list[Vector]:
    """Return what one replica more costs by cluster."""
    marginals = [[cost.marginals(replicas) for cost in costs] for costs in levels]
    return [tuple(sum(each[at] for each in costs) for costs in marginals) for at in range(len(replicas))]


def exact_totals(workload: Workload, names: Sequence[str]) -> tuple[GroupTotal, ...]:
    """Return the exact totals that cut the candidates into parts, those of all candidates left out."""
    exact = [rule for rule in workload.rules_of(GroupTotal) if rule.minimum == rule.maximum]
    return tuple(rule for rule in exact if not rule.clusters.issuperset(names))


def _parts(workload: Workload, names: Sequence[str]) -> Mapping[str, int]:
    """Return the number of the part of every candidate."""
    parts = dict.fromkeys(names, 0)
    for number, rule in enumerate(exact_totals(workload, names), 1):
        parts |= dict.fromkeys((name for name in names if name in rule.clusters), number)
    return parts


def _tiers_come_first(levels: Sequence[Level], workload: Workload) -> bool:
    """Tell whether the tiers are settled before a deviation that is measured tier by tier."""
    rule = workload.rule(Weights)
    if rule is None or not rule.tiers:
        return True
    if workload.rule(Tiers) is None:
        return False
    keys = [level.key for level in levels]
    return tier(1).key not in keys[keys.index(weights.level(rule).key) :]


def _first_other(names: Sequence[str], name: str) -> str | None:
    """Return the first name that is another one; None where there is none."""
    if names and names[0] != name:
        return names[0]
    return names[1] if len(names) > 1 else None


By = Literal[1, -1]
"""One replica more on a cluster, or one less."""

PIN = Source("<why>", 0)
"""Where a pin was declared; tells it from the bounds of the input."""

Best = Callable[[Exchanges], Exchanged | None]


@dataclass(frozen=True, slots=True)
class Change:
    """A bound that could be moved by one."""

    action: str
    build: Callable[[], Problem]
    source: Source | None = None
    cluster: str | None = None
    """Cluster whose bound it is; None where it is no single cluster's."""
    binding: bool = True
    """True where the answer stands at the bound."""
    best: Best | None = None
    """Where the answer was found by marginal allocation: the only exchange that the change could make worth
    while, None where there is none. `best` itself is None where that is not known by formula."""


def bring_to(cluster: str) -> Best:
    """Return the best exchange that brings a replica to a cluster."""
    return lambda exchanges: exchanges.to(cluster)


def take_from(cluster: str) -> Best:
    """Return the best exchange that takes a replica from a cluster."""
    return lambda exchanges: exchanges.away(cluster)


def between_parts(start: int, end: int) -> Best:
    """Return the best exchange from one part to another."""
    return lambda exchanges: exchanges.across(start, end)


def nothing(exchanges: Exchanges) -> None:
    """Return no exchange: the rule does not bind where marginal allocation found the answer without it."""
    del exchanges


def settled(problem: Problem) -> Problem:
    """Return a problem in which every workload keeps the affinity group that was chosen for it."""
    if not any(workload.groups for workload in problem.workloads):
        return problem
    return replace(problem, workloads=tuple(replace(each, groups=()) for each in problem.workloads))


def pinned(problem: Problem, key: str, cluster: str, replicas: int, by: By) -> Problem:
    """Return the problem in which a workload holds at least one replica more on a candidate, or one less.

    A cluster that holds some is not passed over by ``maxClusters``, so the bound changes no level.
    """
    workload = problem.workload(key)
    bounds = workload.rule(Bounds) or Bounds()
    known = bounds.minimum if by > 0 else bounds.maximum
    limit = replicas + by
    if cluster in known:
        limit = max(limit, known[cluster].replicas) if by > 0 else min(limit, known[cluster].replicas)
    pin = {**known, cluster: Bound(limit, PIN)}
    if by > 0:
        other = replace(bounds, minimum=pin, where_held=bounds.where_held - {cluster})
    else:
        other = replace(bounds, maximum=pin)
    return with_workload(problem, with_bounds(workload, other))


def with_bounds(workload: Workload, bounds: Bounds) -> Workload:
    """Return the workload with other bounds in the place of its own, or in addition where it has none."""
    own = workload.rule(Bounds)
    if own is None:
        return replace(workload, rules=(*workload.rules, bounds))
    return replace(workload, rules=exchanged(workload.rules, own, bounds))
