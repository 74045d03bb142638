"""One workload as a box: a lower and an upper number of replicas by candidate, and a total.

Rules that only bound single clusters (bounds, capacity of a workload alone, full copies) end here. All other
rules are left out, so the box holds every valid placement and perhaps more. Beside it stand totals that rules
ask of sets of candidates: of regions, of all that is left when one is lost.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray

from fairlead.models.at_once import in_array
from fairlead.models.check import required_by
from fairlead.models.cluster import Cluster
from fairlead.models.in_order import in_order_of
from fairlead.models.problem import Problem
from fairlead.models.requirement import Among, Binds, Outside, Requirement, Side
from fairlead.models.rules import Bounds, Candidates, Duplicated, GroupTotal, Spread, Total
from fairlead.models.rules.bounds import maxima, minima
from fairlead.models.rules.capacity import demands, graded_room, needs
from fairlead.models.rules.duplicated import copy_on, largest_copy
from fairlead.models.rules.quota import Allowance
from fairlead.models.rules.skew import Apart
from fairlead.models.workload import Workload
from fairlead.solver.exact.marginal import Box, exact_sum

Numbers = NDArray[np.int64]

UNBOUND = 2**62
"""Stands for no maximum."""

Available = Mapping[tuple[str, str], int]
"""Free capacity by cluster and resource, in the resource's unit; absent means no limit."""


@dataclass(frozen=True, slots=True)
class WorkloadBox:
    """The box of one workload."""

    names: tuple[str, ...]
    """Candidates in name order; the arrays have this order."""
    box: Box
    """Fewest and most replicas by candidate and the total. Under Duplicated the total is that of all
    copies."""


def has_box(workload: Workload) -> bool:
    """Tell whether a workload has a total, of its own or of its copies."""
    copies = workload.rule(Duplicated)
    return workload.rule(Total) is not None if copies is None else not copies.choice


def replicas_placed(workload: Workload, problem: Problem) -> int | None:
    """Return how many replicas every placement of a workload has in all; None where that is open."""
    if workload.rule(Total) is not None and workload.rule(Duplicated) is None:
        return workload.replicas
    names = frozenset(problem.candidates(workload))
    exact = (each for each in workload.rules_of(GroupTotal) if each.minimum == each.maximum)
    return next((each.minimum for each in exact if names <= each.clusters), None)


def boxes_of(problem: Problem, without: Container[str] = ()) -> dict[str, WorkloadBox]:
    """Return the box of every workload that has one, as if it had all shared capacity for itself.

    Workloads of which the keys are given are left out.
    """
    return {
        workload.key: box_of(workload, problem)
        for workload in problem.workloads
        if workload.key not in without and has_box(workload)
    }


def box_of(
    workload: Workload,
    problem: Problem,
    available: Available | None = None,
    quotas: Sequence[Allowance] | None = None,
) -> WorkloadBox:
    """Return the box of a workload.

    Parameters
    ----------
    workload
        The workload; `has_box` must hold.
    problem
        Where it belongs.
    available
        Capacity for the workload, including what it holds now; None means all that the workloads of the
        problem may use together. Without a `Capacity` rule in the problem it is not looked at.
    quotas
        Amounts that the quotas of the problem leave, including what it holds now; None means all that they
        allow. Only limits on single clusters are looked at.
    """
    names, copies = problem.candidates(workload), workload.rule(Duplicated)
    total, lower = workload.replicas, np.zeros(len(names), dtype=np.int64)
    upper = np.full(len(names), total, dtype=np.int64)
    if copies is not None:
        lower = upper = np.array([copy_on(copies, workload, name) for name in names], dtype=np.int64)
    lower, upper = _at_least(lower, workload, names), _at_most(upper, workload, names)
    if problem.has_capacity:
        upper = np.minimum(upper, _rooms(workload, problem, names, available))
    upper = _most_under(problem.allowances if quotas is None else quotas, workload, names, upper)
    if names and copies is not None:
        total = int(lower.sum())
    return WorkloadBox(names, Box(lower, upper, total))


def fewest_in_use(workload: Workload, boxed: WorkloadBox) -> Numbers:
    """Return the fewest replicas of every candidate where it is used: at least one, and its minimum."""
    fewest = np.maximum(boxed.box.lower, 1)
    bounds = workload.rule(Bounds)
    gaps = bounds.where_used if bounds else {}
    if not gaps:
        return fewest
    return np.maximum(fewest, [gaps[name].replicas if name in gaps else 0 for name in boxed.names])


def _at_least(lower: Numbers, workload: Workload, names: tuple[str, ...]) -> Numbers:
    """Return numbers made no less than the minima, but for those that bind only where replicas are held."""
    bounds = workload.rule(Bounds)
    if bounds and bounds.minimum and workload.replicas:
        least = in_array(names, minima(bounds))
        if bounds.where_held:
            least = np.where([name in bounds.where_held for name in names], 0, least)
        lower = np.maximum(lower, least)
    return lower


def _at_most(upper: Numbers, workload: Workload, names: tuple[str, ...]) -> Numbers:
    """Return numbers made no more than the maxima, nor than what stays where nothing new may start."""
    bounds = workload.rule(Bounds)
    if bounds and bounds.maximum:
        upper = np.minimum(upper, in_array(names, maxima(bounds), UNBOUND))
    candidates = workload.rule(Candidates)
    if candidates and candidates.held_only:
        kept = {name: workload.current.get(name, 0) for name in candidates.held_only}
        upper = np.minimum(upper, in_array(names, kept, UNBOUND))
    return upper


def _rooms(
    workload: Workload, problem: Problem, names: tuple[str, ...], available: Available | None
) -> Numbers:
    """Return how many replicas each candidate can take, at most what any cluster can be asked for."""
    copies = workload.rule(Duplicated)
    most = workload.replicas if copies is None else largest_copy(copies, workload)
    rooms = np.full(len(names), most, dtype=np.int64)
    for resource, need in needs(workload).items():
        counted = problem.charged.of(resource)
        if available is None:
            offered = problem.room.get(resource, {})
        else:
            offered = {name: available.get((name, resource), 0) for name in names}
        fits = np.minimum(rooms, _fits(names, offered, need, most))
        if len(counted) < len(problem.clusters):
            fits = np.where([name in counted for name in names], fits, rooms)
        rooms = fits
    if problem.all_clusters.graded:
        clusters = problem.cluster_by_name
        graded = (graded_room(workload, clusters[name]) for name in names)
        rooms = np.minimum(rooms, [most if each is None else each for each in graded])
    return np.maximum(rooms, 0)


def _most_under(
    quotas: Iterable[Allowance], workload: Workload, names: Sequence[str], most: Numbers
) -> Numbers:
    """Return how many replicas every candidate may hold by what quotas say of single clusters as well."""
    quotas = [each for each in quotas if each.rule.namespace == workload.namespace]
    if not quotas:
        return most
    rooms, needed = most.copy(), needs(workload)
    position = {name: at for at, name in enumerate(names)}
    for allowance in quotas:
        for scope, left in allowance.left.items():
            at, need = position.get(scope.cluster or ""), needed.get(scope.resource)
            if at is not None and need:
                rooms[at] = min(int(rooms[at]), max(0, left // need))
    return rooms


def _fits(names: tuple[str, ...], offered: Mapping[str, int], need: int, most: int) -> Numbers:
    """Return how many replicas fit into amounts, as far as the most: amounts may be beyond 64 bits."""
    try:
        found: Numbers = in_array(names, offered) // need
    except OverflowError:
        found = np.array([min(most, amount // need) for amount in in_order_of(names, offered, 0)], np.int64)
    return found


def room_left(workload: Workload, cluster: Cluster, available: Available) -> int:
    """Return how many replicas of a workload fit into what is left of a cluster; at most all of them."""
    most = workload.replicas
    if cluster.free is None:
        return most
    for resource, need in demands(workload, cluster).items():
        most = min(most, available.get((cluster.name, resource), 0) // need)
    graded = graded_room(workload, cluster)
    return max(0, most if graded is None else min(most, graded))


Clusters = frozenset[str]
Range = tuple[int, int]
"""Fewest and most replicas."""


MOST_TRIED = 32
"""Up to so many numbers of replicas of the emptiest group are tried."""

_ASKING_OTHERWISE = (Bounds, Candidates, Duplicated, Spread, Total)
"""Rules about single clusters, about all of them, or about how many groups are used."""


@dataclass(frozen=True, slots=True)
class SetRanges:
    """Ranges of replicas that the rules of a workload ask of sets of candidates."""

    ranges: dict[Clusters, Range] = field(default_factory=dict)
    """Fewest and most replicas by set of candidates."""
    apart: list[tuple[tuple[Clusters, ...], int]] = field(default_factory=list)
    """Groups of which the fullest may hold only so many more than the emptiest."""

    def tries(self, boxed: WorkloadBox) -> Iterator[Mapping[Clusters, Range]]:
        """Yield the ranges of sets, for all numbers that the emptiest groups may hold at least."""
        for lowest in product(*(_lowest(groups, most, boxed) for groups, most in self.apart)):
            found = dict(self.ranges)
            for (groups, most), least in zip(self.apart, lowest, strict=True):
                for group in groups:
                    found[group] = both(found.get(group), (least, least + most))
            yield found


def asked_of(workload: Workload, boxed: WorkloadBox) -> SetRanges:
    """Return the totals that rules ask of sets; those that the box holds, or others tell, are left out."""
    found, names, total = SetRanges(), frozenset(boxed.names), boxed.box.total
    rules = (rule for rule in workload.rules if not isinstance(rule, _ASKING_OTHERWISE))
    for one in (one for rule in rules for one in required_by(rule, workload, ())):
        if one.binds is not Binds.ALWAYS:
            continue
        match one.scope:
            case Among(clusters=clusters):
                inside, asks = clusters & names, _range(one, total)
            case Outside(clusters=clusters):
                least, most = _range(one, total)
                inside, asks = clusters & names, (total - most, total - least)
            case Apart(groups=groups, where_held=held) if len(groups) > 1 and not held:
                found.apart.append((tuple(each & names for each in groups.values()), one.limit))
                continue
            case _:
                continue
        if inside:
            found.ranges[inside] = both(found.ranges.get(inside), asks)
    return found


def _range(one: Requirement, total: int) -> Range:
    """Return how many replicas a requirement lets count."""
    return (
        0 if one.side is Side.MOST else one.limit,
        total if one.side is Side.LEAST else min(one.limit, total),
    )


def both(known: Range | None, other: Range) -> Range:
    """Return the range that lies in two ranges."""
    return other if known is None else (max(known[0], other[0]), min(known[1], other[1]))


def _lowest(groups: Sequence[Clusters], most: int, boxed: WorkloadBox) -> Sequence[int]:
    """Return the least of the emptiest of groups that differ by so many at most; none where it is too much.

    The groups hold all replicas but for those that candidates in none of them can take.
    """
    total, where = boxed.box.total, {name: at for at, name in enumerate(boxed.names)}
    upper = np.minimum(boxed.box.upper, total)
    rows = [np.array([where[name] for name in group], dtype=np.int64) for group in groups]
    rest = exact_sum(np.delete(upper, np.concatenate(rows)))
    least = max(exact_sum(boxed.box.lower[row]) for row in rows)
    # Clusters in several groups count in each of them.
    overlapping = len(frozenset[str]().union(*groups)) < sum(map(len, groups))
    highest = min(total if overlapping else total // len(groups), *(exact_sum(upper[row]) for row in rows))
    lowest = max(0, least - most, -((rest - total) // len(groups)) - most)
    return range(lowest, highest + 1) if highest - lowest < MOST_TRIED else ()
