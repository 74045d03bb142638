"""Conflicts of one workload in closed form, without a solver.

Where rules bound single clusters or their total, a conflict is one of few kinds: a cluster needs more than it
may hold, minima add up to more than the total, all candidates together hold less than the total, a set of
clusters cannot hold what it has to, or a spread wants more groups than there are. Each of them is minimal by
construction.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Duplicated,
    GroupTotal,
    Quota,
    Spread,
    Survival,
    Total,
    quota,
)
from fairlead.models.rules.capacity import needs
from fairlead.models.workload import Workload
from fairlead.solver.explaining.leaving_out import widest
from fairlead.solver.explaining.outline import Outline, outline_of
from fairlead.solver.explaining.units import Part, Unit


@dataclass(frozen=True, slots=True)
class Quick:
    """A minimal conflict by the positions of its units, and whether none has fewer."""

    units: tuple[int, ...]
    smallest: bool


def quick(workload: Workload, problem: Problem, units: Sequence[Unit]) -> Quick | None:
    """Return a conflict of one workload; None where none is seen without a solver.

    Parameters
    ----------
    workload
        The workload.
    problem
        The question, as if it had no other workload.
    units
        Everything that may be left out.
    """
    outline = outline_of(workload, problem, units)
    most = widest(workload)
    for at, unit in enumerate(units):
        if _impossible(unit.part, most, problem):
            return Quick((at,), smallest=True)
    small = [
        _crossing(outline),
        _spread_over_replicas(outline, units),
        _nowhere(outline, units),
        _over_quota(outline, problem, units),
    ]
    pairs = [found for found in small if found is not None]
    larger = [
        _too_much(outline),
        _too_little(outline),
        *_sets(outline, units),
        _closed_groups(outline, units),
    ]
    found = min([*pairs, *(each for each in larger if each is not None)], key=len, default=None)
    if found is None:
        return None
    return Quick(tuple(sorted(found)), len(found) <= 2 or outline.only_boxes)


def _impossible(part: Part, most: int, problem: Problem) -> bool:
    """Tell whether a unit has no placement even by itself, with at most so many replicas on every cluster."""
    match part:
        case Total() | Duplicated():
            return not problem.clusters
        case Bounds():
            return any(
                bound.replicas > most for name, bound in part.minimum.items() if name not in part.where_held
            )
        case Spread():
            return part.minimum > sum(1 for clusters in part.groups.values() if clusters)
        case GroupTotal():
            return part.minimum > most * len(part.clusters)
        case Survival():
            everywhere = frozenset(problem.cluster_by_name)
            return any(part.minimum > most * len(everywhere - lost) for lost in part.groups.values())
        case _:
            return False


def _crossing(outline: Outline) -> tuple[int, ...] | None:
    """Find a cluster that needs more than it may hold."""
    for name in outline.names:
        least, most = outline.least.get(name), outline.most.get(name)
        if least and most and least[0] > most[0] and least[1] != most[1]:
            return least[1], most[1]
    return None


def _too_much(outline: Outline) -> tuple[int, ...] | None:
    """Find the fewest minima that add up to more than the total."""
    needs = {name: least for name, least in outline.least.items() if name in outline.names}
    return _over(outline.total, outline.workload.replicas, needs.values())


def _over(limit: int | None, allowed: int, needs: Iterable[tuple[int, int]]) -> tuple[int, ...] | None:
    """Return a limit and the fewest needs that add up to more; None where they do not."""
    if limit is None:
        return None
    found, left = [limit], allowed
    for need, at in sorted(needs, key=lambda each: (-each[0], each[1])):
        found.append(at)
        left -= need
        if left < 0:
            return tuple(found)
    return None


def _too_little(outline: Outline) -> tuple[int, ...] | None:
    """Tell whether all candidates together may hold less than the total."""
    if outline.total is None or not outline.workload.replicas:
        return None
    found = _under(outline.workload.replicas, [outline.most.get(name) for name in outline.names])
    return None if found is None else (outline.total, *found, *_closed(outline))


def _under(wanted: int, holds: Sequence[tuple[int, int] | None]) -> tuple[int, ...] | None:
    """Return what keeps some clusters from holding so many; None where nothing does."""
    known = [each for each in holds if each is not None]
    if len(known) < len(holds) or sum(most for most, _ in known) >= wanted:
        return None
    return tuple(at for _, at in known)


def _closed(outline: Outline) -> tuple[int, ...]:
    """Return the unit of the closed clusters, if there is one."""
    return () if outline.closed is None else (outline.closed,)


def _nowhere(outline: Outline, units: Sequence[Unit]) -> tuple[int, ...] | None:
    """Tell whether a full copy is wanted and nothing is open."""
    copies = [at for at in outline.others if isinstance(units[at].part, Duplicated)]
    if outline.names or not copies or not outline.workload.replicas:
        return None
    return copies[0], *_closed(outline)


def _spread_over_replicas(outline: Outline, units: Sequence[Unit]) -> tuple[int, ...] | None:
    """Find a spread over more groups than there are replicas, where a cluster is in one group only."""
    for at, rule in _spreads(outline, units):
        inside = [name for clusters in rule.groups.values() for name in clusters]
        in_one_only = len(inside) == len(set(inside))
        if outline.total is not None and in_one_only and rule.minimum > outline.workload.replicas > 0:
            return outline.total, at
    return None


def _over_quota(outline: Outline, problem: Problem, units: Sequence[Unit]) -> tuple[int, ...] | None:
    """Find a quota for all clusters together that the total does not fit into."""
    for at in outline.others:
        part = units[at].part
        if isinstance(part, Quota) and part.namespace == outline.workload.namespace:
            may = quota.allowed(part, problem)
            needed = needs(outline.workload)
            asked = {scope: needed.get(scope.resource, 0) * outline.workload.replicas for scope in may}
            if outline.total is not None and any(asked[scope] > limit for scope, limit in may.items()):
                return outline.total, at
    return None


def _closed_groups(outline: Outline, units: Sequence[Unit]) -> tuple[int, ...] | None:
    """Find a spread over more groups than have candidates."""
    for at, rule in _spreads(outline, units):
        open_groups = [group for group, inside in rule.groups.items() if not inside.isdisjoint(outline.names)]
        if rule.minimum > len(open_groups) and outline.closed is not None:
            return at, outline.closed
    return None


def _spreads(outline: Outline, units: Sequence[Unit]) -> Iterator[tuple[int, Spread]]:
    """Yield the fewest groups of every spread."""
    for at in outline.others:
        part = units[at].part
        if isinstance(part, Spread) and part.minimum:
            yield at, part


def _sets(outline: Outline, units: Sequence[Unit]) -> Iterator[tuple[int, ...] | None]:
    """Yield conflicts of sets with what their clusters hold, and of disjoint sets with the total."""
    totals = {at: part for at in outline.others if isinstance(part := units[at].part, GroupTotal)}
    lows = {at: rule for at, rule in totals.items() if rule.minimum and rule.clusters}
    highs = {at: rule for at, rule in totals.items() if rule.maximum is not None and rule.clusters}
    for at, rule in lows.items():
        under = _under(rule.minimum, [outline.most.get(name) for name in sorted(rule.clusters)])
        yield None if under is None else (at, *under)
        if outline.total is not None and rule.minimum > outline.workload.replicas:
            yield outline.total, at
    for at, rule in highs.items():
        needs = [outline.least[name] for name in sorted(rule.clusters) if name in outline.least]
        yield _over(at, rule.maximum or 0, needs)
    if outline.total is None or not outline.workload.replicas:
        return
    if _disjoint(lows):
        yield _over(
            outline.total, outline.workload.replicas, [(rule.minimum, at) for at, rule in lows.items()]
        )
    for covering in _covers(highs, outline.names):
        if sum(rule.maximum or 0 for rule in covering.values()) < outline.workload.replicas:
            yield outline.total, *covering, *_closed(outline)


def _covers(highs: Mapping[int, GroupTotal], names: Sequence[str]) -> Iterator[Mapping[int, GroupTotal]]:
    """Yield sets that hold every candidate: single ones, and all others together where they are disjoint."""
    parts = {}
    for at, rule in highs.items():
        if names and rule.clusters.issuperset(names):
            yield {at: rule}
        else:
            parts[at] = rule
    inside = frozenset[str]().union(*(rule.clusters for rule in parts.values()))
    if parts and _disjoint(parts) and inside.issuperset(names):
        yield parts


def _disjoint(rules: Mapping[int, GroupTotal]) -> bool:
    """Tell whether no cluster is in two sets."""
    inside = [name for rule in rules.values() for name in rule.clusters]
    return len(inside) == len(set(inside))
