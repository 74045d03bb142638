"""Parts of a problem and their answers, and how the answers of several parts are one answer of all.

Independent parts are connected components of the graph of workloads and clusters. A cluster and one of its
resources are a row of capacity.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from fairlead.models.check import shared_violations
from fairlead.models.cluster import Cluster, connected
from fairlead.models.levels import Level
from fairlead.models.outcome import Attained, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Candidates,
    Capacity,
    Companionship,
    Duplicated,
    MoveBudget,
    Quota,
    SharedRule,
    Total,
)
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.quota import QuotaScope, allowed
from fairlead.models.score import as_whole, levels_of, score
from fairlead.models.shortfall import name_of
from fairlead.models.usage import Row, usage
from fairlead.models.validity import largest
from fairlead.models.workload import Workload
from fairlead.solver.answers.attainment import Apart, LexicographicResult, attained, status_of
from fairlead.solver.running.search import Search

Placed = Mapping[str, Mapping[str, int]]
"""Replicas by workload key and cluster name."""


def components(problem: Problem) -> tuple[Problem, ...]:
    """Split a problem into parts that share no cluster on which capacity could bind.

    Workloads are connected by every candidate cluster of known capacity; where they run now counts as well,
    since leaving it gives room to others. Workloads that keep together or apart, or share a budget of moves
    or a quota that could bind, are connected as well; quotas that cannot bind are left out of the parts. The
    graph is bipartite; its connected components are independent problems whose optima add up level by level.

    One problem a part, with all clusters (decisions name them all) and the workloads of the part; in the
    order of their first workloads.
    """
    rules = tuple(rule for rule in problem.rules if not isinstance(rule, Quota) or _can_bind(rule, problem))
    if len(problem.workloads) <= 1 or not rules:
        return tuple(_part(problem, (workload,), rules) for workload in problem.workloads)
    limited = frozenset(cluster.name for cluster in problem.clusters if cluster.free is not None)
    shared: dict[str, set[str | int]] = {each.key: {*_touched(each, limited)} for each in problem.workloads}
    for number, rule in enumerate(rules):
        for key in shared.keys() & rule.tied(problem):
            shared[key].add(number)
    return tuple(_part(problem, tuple(map(problem.workload, keys)), rules) for keys in connected(shared))


def _can_bind(rule: Quota, problem: Problem) -> bool:
    """Tell whether placements that keep the workloads' own rules can ask for more than a quota allows.

    A workload with a total asks for the same of a quota over all clusters wherever its replicas stand.
    """
    sums: dict[QuotaScope, int] = {}
    for workload in problem.workloads_in(rule.namespace):
        copies, names = workload.rule(Duplicated), problem.candidates(workload)
        most = {name: copy_on(copies, workload, name) if copies else largest(workload) for name in names}
        divided = workload.rule(Total) is not None and copies is None
        together = workload.replicas if divided else sum(most.values())
        for resource, need in needs(workload).items():
            for cluster, count in (*most.items(), (None, together)):
                scope = QuotaScope(resource, cluster)
                sums[scope] = sums.get(scope, 0) + need * count
    return any(sums.get(scope, 0) > amount for scope, amount in allowed(rule, problem).items())


def _part(problem: Problem, workloads: tuple[Workload, ...], rules: tuple[SharedRule, ...]) -> Problem:
    """Return a part with the rules that are about its workloads."""
    part = replace(problem, workloads=workloads, rules=())
    balances = problem.balances and tuple(
        rule for rule in problem.balances if not rule.members.isdisjoint(part.workload_by_key)
    )
    return replace(part, rules=tuple(rule for rule in rules if _concerns(rule, part)), balances=balances)


def _concerns(rule: SharedRule, part: Problem) -> bool:
    """Tell whether a shared rule is about workloads of a part."""
    if isinstance(rule, MoveBudget):
        return rule.concerns(part.workload_by_key)
    return isinstance(rule, Capacity) or not part.workload_by_key.keys().isdisjoint(rule.tied(part))


def _touched(workload: Workload, limited: frozenset[str]) -> frozenset[str]:
    """Return the clusters of known capacity that a workload may use or uses now."""
    candidates = workload.rule(Candidates)
    if candidates is None:
        return limited
    return limited.intersection((*candidates.names, *workload.current))


def overfull(used: Mapping[Row, int], part: Problem) -> frozenset[Row]:
    """Return the rows that are asked for more than there is; none where capacity is left out."""
    if not part.has_capacity:
        return frozenset()
    return frozenset(row for row, amount in used.items() if amount > part.limits.get(row, 0))


def left_by(part: Problem, fixed: Iterable[Workload], placed: Placed) -> dict[Row, int]:
    """Return the capacity that workloads leave where they are placed, by cluster and resource, at least 0."""
    left = dict(part.limits)
    for row, amount in usage(fixed, placed, part).items():
        left[row] = max(0, left.get(row, 0) - amount)
    return left


def among(part: Problem, workloads: Iterable[Workload], limits: Mapping[Row, int]) -> Problem:
    """Return the problem of some workloads that may use so much of every cluster.

    Companions of whom none is among them are left out.

    `limits`: what they may use by cluster and resource, what they hold now included.
    """
    chosen = tuple(workloads)
    held = usage(chosen, {each.key: each.current for each in chosen}, part)
    free: dict[str, dict[str, int]] = {}
    for name, resource in {**limits, **held}:
        row = (name, resource)
        free.setdefault(name, {})[resource] = limits.get(row, 0) - held.get(row, 0)
    clusters = tuple(_with_free(cluster, free.get(cluster.name, {}), limits) for cluster in part.clusters)
    keys = {each.key for each in chosen}
    rules = (
        rule
        for rule in part.rules
        if not isinstance(rule, Companionship) or not keys.isdisjoint(rule.members)
    )
    return replace(part, clusters=clusters, workloads=chosen, rules=tuple(rules))


def beside(part: Problem, workloads: Sequence[Workload], placed: Placed) -> Problem:
    """Return the problem of some workloads while all others stand as they are placed."""
    chosen = {each.key for each in workloads}
    others = (each for each in part.workloads if each.key not in chosen)
    return among(part, workloads, left_by(part, others, placed))


def _with_free(cluster: Cluster, free: Mapping[str, int], limits: Mapping[Row, int]) -> Cluster:
    """Return a cluster that has so much free, and no less in all; one of unknown capacity stays as it is."""
    if cluster.free is None:
        return cluster
    offered = {
        resource: max(amount, limits.get((cluster.name, resource), 0))
        for resource, amount in (cluster.allocatable or {}).items()
    }
    return replace(cluster, free=dict(free), allocatable=offered)


@dataclass(frozen=True, slots=True)
class PartQuestion:
    """A part that is to be solved, and what is known of it."""

    part: Problem
    """The workloads and what they may use."""
    search: Search
    alone: Placed = field(default_factory=dict)
    """Workloads as they are placed where they have all that is shared for themselves, as far as known."""
    known: Placement | None = None
    """A placement that the answer is not worse than; near one that breaks rules it is only searched. None
    where none is known."""
    relaxed: tuple[Attained, ...] = ()
    """The first levels of a best placement of the part with fewer rules, as far as known."""


@dataclass(frozen=True, slots=True)
class PartAnswer:
    """Answer for one part of the problem."""

    part: Problem
    """The workloads and what they may use."""
    status: Status
    """OPTIMAL where every level is proven."""
    placement: Placement | None
    """Placement of the part; None where none was found."""
    attained: tuple[Attained, ...]
    """The levels of the part in order."""
    origin: str
    """Name of the way that found it; see `Result.origin`."""
    apart: Apart = field(default_factory=dict)
    """Workloads that cost what they would cost alone, as far as that is known."""


def answered(part: Problem, result: LexicographicResult, origin: str) -> PartAnswer:
    """Return the answer that a search gives."""
    return PartAnswer(part, result.status, result.placement, result.attained, origin)


def proven(part: Problem, placement: Placement, origin: str = "exact") -> PartAnswer:
    """Return the answer of a placement that is optimal by construction."""
    levels = tuple(replace(level, bound=level.value, proven=True) for level in score(part, placement))
    apart = dict.fromkeys(levels_of(part), frozenset(part.workload_by_key))
    return PartAnswer(part, Status.OPTIMAL, placement, levels, origin, apart)


def unproven(part: Problem, placement: Placement | None, origin: str = "exact") -> PartAnswer:
    """Return the answer of a placement of which nothing is proven by search, or that there is none yet."""
    if placement is None:
        return PartAnswer(part, Status.UNKNOWN, None, (), origin)
    levels = attained(part, placement, ())
    return PartAnswer(part, status_of(levels), placement, levels, origin)


def together(problem: Problem, answers: Sequence[PartAnswer]) -> PartAnswer:
    """Return the answers of parts that have nothing in common as one: side by side, levels added up.

    Where a part has no placement, or none was found, there is none of the whole.
    """
    origin, statuses = origin_of(answers), {answer.status for answer in answers}
    placed = [answer.placement for answer in answers if answer.placement is not None]
    if Status.INFEASIBLE in statuses or len(placed) < len(answers):
        status = Status.INFEASIBLE if Status.INFEASIBLE in statuses else Status.UNKNOWN
        return PartAnswer(problem, status, None, (), origin)
    apart: dict[Level, frozenset[str]] = {}
    for answer in answers:
        for level, keys in answer.apart.items():
            apart[level] = apart.get(level, frozenset()) | keys
    levels = added(problem, answers)
    placement = Placement({key: replicas for each in placed for key, replicas in each.items()})
    return PartAnswer(problem, status_of(levels), placement, levels, origin, apart)


def origin_of(answers: Iterable[PartAnswer]) -> str:
    """Return who found several answers: CP-SAT where it had a part, else prices, else formulas."""
    origins = {answer.origin for answer in answers}
    return next((name for name in ("cp-sat", "prices") if name in origins), "exact")


def added(problem: Problem, answers: Sequence[PartAnswer]) -> tuple[Attained, ...]:
    """Add the levels of parts that have nothing in common.

    A level that no part has is 0: nothing had to give way. The bound of a level holds for all placements that
    keep the values of those above. Where a part could get better on one of these, every other part may get
    worse there, and better after it: of that part nothing is known from then on but the least that it can be.
    """
    by_level = [dict(zip(levels_of(each.part), each.attained, strict=True)) for each in answers]
    free = [False] * len(answers)
    found = []
    for level in levels_of(problem):
        parts = [
            (at, _freed(levels[level]) if free[at] else levels[level])
            for at, levels in enumerate(by_level)
            if level in levels
        ]
        bound = sum((Fraction(each.bound or 0) for _, each in parts), Fraction(0))
        value = sum((Fraction(each.value) for _, each in parts), Fraction(0))
        steps = [each.resolution for _, each in parts if each.resolution is not None]
        found.append(
            Attained(
                name_of(level, problem),
                as_whole(value),
                as_whole(bound),
                all(each.proven for _, each in parts),
                sum(steps, Fraction(0)) if steps else None,
                as_whole(sum((Fraction(each.tolerance) for _, each in parts), Fraction(0))),
            )
        )
        loose = sum(not each.proven for _, each in parts)
        for at, each in parts:
            free[at] = free[at] or loose - (not each.proven) > 0
    return tuple(found)


def _freed(level: Attained) -> Attained:
    """Return a level of which nothing is known but that it cannot be below 0."""
    return Attained(level.name, level.value, 0, level.value <= level.tolerance, None, level.tolerance)


def stand_alone(part: Problem, alone: Mapping[str, Mapping[str, int]]) -> PartAnswer | None:
    """Put workloads together that were placed alone; None where one was not, or they compete."""
    if not covers(alone, part):
        return None
    placement = Placement({workload.key: alone[workload.key] for workload in part.workloads})
    return None if compete(part, placement) else proven(part, placement)


def compete(problem: Problem, placement: Placement) -> bool:
    """Tell whether workloads that were placed alone break a rule that they share.

    One workload alone keeps within capacity: its box does.
    """
    shared = [rule for rule in problem.rules if len(problem.workloads) > 1 or not isinstance(rule, Capacity)]
    return bool(shared) and bool(shared_violations(problem, placement))


def covers(alone: Mapping[str, Mapping[str, int]], problem: Problem) -> bool:
    """Tell whether every workload of a problem was placed."""
    return all(workload.key in alone for workload in problem.workloads)
