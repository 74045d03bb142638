"""Relaxations of one workload whose rules bound single clusters and the total: no solver is needed.

Three contradictions are settled here. With bounds ``lo_c <= x_c <= hi_c`` and a total N, a change that costs
1 moves a bound or the total by 1 at most, so what is missing is the least cost:

* clusters with ``lo_c > hi_c`` while ``sum min(lo_c, hi_c) <= N <= sum hi_c``: the sum of the differences;
* ``sum lo_c > N``: the difference;
* ``sum hi_c < N``: the difference.

Full copies of N everywhere are a fourth: every replica fewer costs 1, and to let every copy have one replica
more costs 1 or more, so copies of the smallest ``hi_c`` are the cheapest way, and larger clusters the only
other one.

Everything else is left to CP-SAT.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Duplicated, Total
from fairlead.models.rules.capacity import demands, graded_room
from fairlead.models.statement import Change
from fairlead.models.workload import Workload
from fairlead.solver.changes.kinds import Kind, order, varied
from fairlead.solver.relaxation.relaxable import is_frozen, smallest_copy
from fairlead.solver.relaxation.stock import at_hand

Changes = tuple[Change, ...]


class Cap(NamedTuple):
    """What keeps a cluster from holding more: a number of replicas, and what it is.

    Parameters
    ----------
    replicas
        The most that it allows.
    kind
        What has to be changed; None where that cannot be.
    resource, need
        The resource and what a replica takes of it; empty and 1 where it is none.
    """

    replicas: int
    kind: Kind | None
    resource: str = ""
    need: int = 1


@dataclass(frozen=True, slots=True)
class _Box:
    """The workload as a box."""

    problem: Problem
    workload: Workload
    bounds: Bounds
    low: Mapping[str, int]
    caps: Mapping[str, tuple[Cap, ...]]
    high: Mapping[str, int]


def quick(problem: Problem, most: int) -> list[Changes] | None:
    """Return changes for a workload alone, the cheapest first; None where these are not known.

    All of them cost the least; of full copies, the second is the cheapest that leaves the first rule alone.

    Parameters
    ----------
    problem
        A problem without placement, preferences left out.
    most
        How many are wanted.
    """
    box = _box(problem)
    if box is None:
        return None
    if problem.workloads[0].rule(Duplicated) is not None:
        return _ranked(_smaller_or_larger(box))[:most] or None
    missing, found = _ways(box, most)
    return varied(_ranked(each for each in found if _cost(each) == missing))[:most] or None


def _cost(changes: Changes) -> int:
    """Return what changes cost together."""
    return sum(change.cost for change in changes)


def _ranked(ways: Iterable[Changes]) -> list[Changes]:
    """Sort ways: the cheapest, then those of the fewest changes, of the first kinds and the first names."""
    return sorted(
        (tuple(sorted(each, key=order)) for each in ways),
        key=lambda each: (_cost(each), len(each), [order(change) for change in each]),
    )


def _box(problem: Problem) -> _Box | None:
    """Return the box of the only workload; None where its rules say more than that."""
    if len(problem.workloads) != 1 or any(not isinstance(rule, Capacity) for rule in problem.rules):
        return None
    (workload,) = problem.workloads
    candidates = workload.rule(Candidates)
    bounds = workload.rule(Bounds) or Bounds()
    if candidates is None or not candidates.names or not workload.replicas or is_frozen(workload):
        return None
    if not (_is_divided(workload, bounds) or _is_copied(workload, bounds)):
        return None
    # Where copies stand everywhere, a cluster that is opened needs one as well, which helps nobody.
    closed = () if workload.rule(Duplicated) is not None else candidates.excluded.values()
    if any(each.taints for each in (*closed, *candidates.held_only.values())):
        return None
    names = candidates.names
    low = {name: bounds.minimum[name].replicas if name in bounds.minimum else 0 for name in names}
    caps = {name: tuple(_caps(name, problem, workload, bounds, candidates)) for name in names}
    high = {
        name: min((cap.replicas for cap in caps[name]), default=max(workload.replicas, low[name]))
        for name in names
    }
    return _Box(problem, workload, bounds, low, caps, high)


def _is_divided(workload: Workload, bounds: Bounds) -> bool:
    """Tell whether nothing counts but a total and bounds of single clusters."""
    simple = all(isinstance(rule, Candidates | Total | Bounds) for rule in workload.rules)
    single = len(workload.rules_of(Bounds)) <= 1 and not bounds.where_held
    return simple and single and workload.rule(Total) is not None


def _is_copied(workload: Workload, bounds: Bounds) -> bool:
    """Tell whether nothing counts but full copies everywhere, and maxima of single clusters."""
    rule = workload.rule(Duplicated)
    simple = all(isinstance(each, Candidates | Duplicated | Bounds) for each in workload.rules)
    single = len(workload.rules_of(Bounds)) <= 1 and not any(
        each.replicas for each in bounds.minimum.values()
    )
    return rule is not None and simple and single and not (rule.choice or rule.copies)


def _caps(
    name: str, problem: Problem, workload: Workload, bounds: Bounds, candidates: Candidates
) -> Iterator[Cap]:
    """Yield what bounds a cluster from above."""
    if name in bounds.maximum:
        yield Cap(bounds.maximum[name].replicas, Kind.MAXIMUM)
    if name in candidates.held_only:
        yield Cap(workload.current.get(name, 0), None)
    cluster = problem.cluster_by_name[name]
    if cluster.free is None or not problem.rules:
        return
    for resource, need in demands(workload, cluster).items():
        yield Cap(problem.limits.get((name, resource), 0) // need, Kind.CAPACITY, resource, need)
    graded = graded_room(workload, cluster)
    if graded is not None:
        yield Cap(graded, None)


def _ways(box: _Box, most: int) -> tuple[int, list[Changes]]:
    """Return what is missing and ways to make it good; none where several contradictions meet."""
    wanted = box.workload.replicas
    crossed = [name for name in box.low if box.low[name] > box.high[name]]
    least, greatest = sum(box.low.values()), sum(box.high.values())
    if crossed:
        fitting = sum(min(box.low[name], box.high[name]) for name in box.low)
        missing = sum(box.low[name] - box.high[name] for name in crossed)
        if not fitting <= wanted <= greatest:
            return missing, []
        lowered = tuple(_lower(box, name, box.low[name] - box.high[name]) for name in crossed)
        raised = (
            _raise(box, crossed[0], box.low[crossed[0]]) if len(crossed) == 1 and least <= wanted else None
        )
        return missing, [lowered, *([raised] if raised else [])]
    if least > wanted:
        return least - wanted, [(_ask(box, least),), *_lower_minima(box, least - wanted, most)]
    missing = wanted - greatest
    ways: list[Changes] = [(_ask(box, greatest),)] if greatest else []
    for name in box.low:
        way = _raise(box, name, box.high[name] + missing)
        if way is not None:
            ways.append(way)
    return missing, ways


def _smaller_or_larger(box: _Box) -> list[Changes]:
    """Return smaller copies, and more room wherever a full copy has none; nothing where no copy stands."""
    wanted, fitting = box.workload.replicas, min(box.high.values())
    if not 0 < fitting < wanted:
        return []
    smaller: list[Changes] = [(_ask(box, fitting),)] if fitting >= smallest_copy(box.workload) else []
    larger: list[Change] = []
    for name, most in box.high.items():
        if most < wanted:
            raised = _raise(box, name, wanted)
            if raised is None:
                return smaller
            larger += raised
    return [*smaller, tuple(larger)]


def _lower_minima(box: _Box, by: int, most: int) -> Iterator[Changes]:
    """Yield single minima that are large enough, or the fewest that are large enough together."""
    enough = [name for name in sorted(box.low) if box.low[name] >= by]
    for name in enough[:most]:
        yield (_lower(box, name, by),)
    if enough:
        return
    changes: list[Change] = []
    for name in sorted(box.low, key=lambda each: (-box.low[each], each)):
        step = min(by, box.low[name])
        if step:
            changes.append(_lower(box, name, step))
        by -= step
    yield tuple(changes)


def _lower(box: _Box, name: str, by: int) -> Change:
    """Return a lower minimum."""
    bound = box.bounds.minimum[name]
    key, before = box.workload.key, bound.replicas
    return Change(Kind.MINIMUM, key, name, "", before, before - by, by, bound.source)


def _ask(box: _Box, replicas: int) -> Change:
    """Return another number of replicas."""
    before, rule = box.workload.replicas, box.workload.rule(Total) or box.workload.rule(Duplicated)
    by, source = (
        abs(replicas - before),
        box.workload.replicas_source or (None if rule is None else rule.source),
    )
    return Change(Kind.REPLICAS, box.workload.key, None, "", before, replicas, by, source)


def _raise(box: _Box, name: str, replicas: int) -> Changes | None:
    """Return what lets a cluster hold so many replicas; None where something there cannot be changed."""
    changes: list[Change] = []
    cluster = box.problem.cluster_by_name[name]
    for cap in box.caps[name]:
        if cap.replicas >= replicas:
            continue
        if cap.kind is None:
            return None
        if cap.kind is Kind.MAXIMUM:
            before, source, ceiling = box.bounds.maximum[name]
            if ceiling is not None and ceiling < replicas:
                return None
            by = replicas - before
            changes.append(Change(Kind.MAXIMUM, box.workload.key, name, "", before, replicas, by, source))
            continue
        lacking = cap.need * replicas - at_hand(box.problem, name, cap.resource)
        before = (cluster.free or {}).get(cap.resource, 0)
        cost = -(-lacking // cap.need)
        changes.append(
            Change(Kind.CAPACITY, None, name, cap.resource, before, before + lacking, cost, cluster.source)
        )
    return tuple(changes) or None
