"""A whole migration: the path of every workload, and the limits of clusters and quotas."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from fairlead.models.check import in_kept_group
from fairlead.models.cluster import PODS
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Companionship, Quota, capacity
from fairlead.models.rules.quota import QuotaScope, asked, used_by
from fairlead.models.workload import Workload
from fairlead.solver.plan.constraints import PathConstraints, constraints_of
from fairlead.solver.plan.steps import between, minus, total
from fairlead.solver.plan.transient import Placed
from fairlead.solver.plan.waves import MoveOrder, WaveOptions, running

Place = tuple[str, str]
"""A cluster, or a quota in words, and a resource."""


@dataclass(frozen=True, slots=True)
class WorkloadPath:
    """One workload's way from what runs to its target."""

    key: str
    start: Placed
    target: Placed
    order: MoveOrder
    least: int
    """Replicas that have to run at every moment, unless fewer run before."""
    most: int | None
    """Replicas that may run at most inside a wave, unless more run before; None means no limit."""
    needs: Mapping[str, Mapping[Place, int]]
    """Use of one replica by cluster, then limit, in the unit of its resource; empty where there is no
    limit."""
    constraints: PathConstraints
    refused: frozenset[str]
    bound: bool = False
    """True where it keeps together with others, or apart from them."""

    @property
    def tricky(self) -> bool:
        """Whether a way straight to the target may break a rule in between."""
        return self.bound or self.constraints.tricky

    @property
    def early_allowed(self) -> int:
        """How many replicas may be stopped first in one wave at the very most."""
        if self.order is MoveOrder.START_FIRST:
            return 0
        return max(0, max(total(self.start), total(self.target)) - self.least)


@dataclass(frozen=True, slots=True)
class Companions:
    """Workloads that keep together or apart, in their order."""

    members: tuple[str, ...]
    together: bool


@dataclass(frozen=True, slots=True)
class Migration:
    """Workloads that move, those that stay, and the limits on the way."""

    paths: Mapping[str, WorkloadPath]
    still: Mapping[str, Placed]
    limits: Mapping[Place, int]
    """Most that may be used by cluster, or quota, and resource; at least what the target uses."""
    used: Mapping[Place, int]
    """Amount used at the start, by the same keys."""
    companions: tuple[Companions, ...]
    regions: Mapping[str, tuple[str, str]]
    """Region and provider by cluster, for pairing what is stopped with what is started."""
    goals: Mapping[str, Placed]
    """Replicas that every workload holds in the end; rules broken there may be broken on the way. Parts of a
    plan have targets of their own, but the same goals."""
    most_moves: int | None = None
    """Replicas that one wave moves, starts or stops at most; None means no limit."""

    def start(self) -> dict[str, Placed]:
        """Return the replicas by cluster of every moving workload at the start."""
        return {key: path.start for key, path in self.paths.items()}

    def room(self, used: Mapping[Place, int]) -> dict[Place, int]:
        """Return the room that is left, by limit, where so much is used."""
        return {place: limit - used.get(place, 0) for place, limit in self.limits.items()}

    def lacking(self, positions: Mapping[str, Placed], room: Mapping[Place, int]) -> dict[Place, int]:
        """Return how much more room replicas need that have still to be started, where they need more."""
        asked: dict[Place, int] = {}
        for key, path in self.paths.items():
            charge(asked, path.needs, left_over(path, positions[key])[1])
        return {place: amount - room[place] for place, amount in asked.items() if amount > room[place]}

    def only(self, keys: set[str]) -> "Migration":
        """Return the migration with some workloads moving; all others stay where they start."""
        paths = {key: path for key, path in self.paths.items() if key in keys}
        still = {**self.still, **{key: path.start for key, path in self.paths.items() if key not in keys}}
        return replace(self, paths=paths, still=still)

    def bound_for(self, targets: Mapping[str, Placed]) -> "Migration":
        """Return the migration with other targets; workloads that do not move are left as they are."""
        paths = {key: replace(path, target=targets[key]) for key, path in self.paths.items()}
        return replace(self, paths=paths)

    def starting_at(self, positions: Mapping[str, Placed]) -> "Migration":
        """Return the migration as it is after some waves; what has arrived moves no more."""
        used, still = dict(self.used), dict(self.still)
        paths: dict[str, WorkloadPath] = {}
        for key, path in self.paths.items():
            charge(used, path.needs, minus(positions[key], path.start))
            if minus(path.target, positions[key]):
                paths[key] = replace(path, start=positions[key])
            else:
                still[key] = positions[key]
        return replace(self, paths=paths, still=still, used=used)


def charge(used: dict[Place, int], needs: Mapping[str, Mapping[Place, int]], change: Placed) -> None:
    """Add what replicas take to what is used, by what one takes on every cluster."""
    for cluster, replicas in change.items():
        for place, need in needs.get(cluster, {}).items():
            used[place] = used.get(place, 0) + need * replicas


def left_over(path: WorkloadPath, position: Placed) -> tuple[dict[str, int], dict[str, int]]:
    """Return the replicas still to be stopped and those still to be started, by cluster."""
    return between(position, path.target)


def changing(path: WorkloadPath, *, everywhere: bool) -> list[str]:
    """Return the clusters on which the replicas of a workload may change."""
    out, into = left_over(path, path.start)
    more = path.constraints.open.keys() if everywhere else ()
    return sorted({*out, *into, *more})


def size(migration: Migration, waves: int, *, everywhere: bool = False) -> int:
    """Return how many numbers of replicas a model of so many waves has."""
    return waves * sum(len(changing(path, everywhere=everywhere)) for path in migration.paths.values())


def migration_of(
    problem: Problem, target: Placement, options: WaveOptions, *, everywhere: bool = False
) -> Migration:
    """Return the migration; everywhere also to clusters where replicas neither are nor go."""
    current = running(problem)
    companions = tuple(
        Companions(tuple(key for key in rule.members if problem.workload(key).replicas), rule.together)
        for rule in problem.rules
        if isinstance(rule, Companionship)
    )
    bound = {key for group in companions for key in group.members}
    used, due = _used(problem, current), _used(problem, target)
    paths: dict[str, WorkloadPath] = {}
    for workload in problem.workloads:
        start, end = dict(current.of(workload.key)), dict(target.of(workload.key))
        if start != end:
            needs = _needs(workload, problem, problem.cluster_by_name if everywhere else {**start, **end})
            path = _path(workload, problem, (start, end), needs, options, everywhere=everywhere)
            paths[workload.key] = replace(path, bound=True) if workload.key in bound else path
    places = {place for path in paths.values() for needs in path.needs.values() for place in needs}
    quotas = {
        _quota_place(allowance.rule, scope): amount
        for allowance in problem.allowances
        for scope, amount in allowance.left.items()
    }
    given = {**problem.limits, **quotas}
    limits = {place: max(given.get(place, 0), due.get(place, 0)) for place in sorted(places)}
    still = {key: current.of(key) for key in problem.workload_by_key if key not in paths}
    regions = {
        cluster.name: (cluster.region or cluster.name, cluster.provider or "") for cluster in problem.clusters
    }
    goals = {key: target.of(key) for key in problem.workload_by_key}
    return Migration(paths, still, limits, used, companions, regions, goals, options.most_moves)


def _used(problem: Problem, placement: Placement) -> dict[Place, int]:
    """Return the amounts that all workloads use where they are placed, of clusters and of quotas."""
    found = dict(problem.used(placement)) if problem.has_capacity else {}
    for rule in problem.rules:
        if isinstance(rule, Quota):
            for scope, amount in used_by(rule, problem, placement).items():
                place = _quota_place(rule, scope)
                found[place] = found.get(place, 0) + amount
    return found


def _path(
    workload: Workload,
    problem: Problem,
    ends: tuple[Placed, Placed],
    needs: Mapping[str, Mapping[Place, int]],
    options: WaveOptions,
    *,
    everywhere: bool,
) -> WorkloadPath:
    """Return the way of one workload, as if it kept together with no other."""
    start, target = ends
    touched = frozenset(problem.cluster_by_name if everywhere else minus(target, start))
    key, wanted = workload.key, total(target)
    chosen = in_kept_group(workload, target)
    candidates = chosen.rule(Candidates)
    surplus = options.availability.surplus(wanted)
    return WorkloadPath(
        key,
        start,
        target,
        options.order,
        wanted - options.missing(wanted),
        None if surplus is None else wanted + surplus,
        needs,
        constraints_of(chosen, problem, touched, detours=everywhere),
        frozenset() if candidates is None else frozenset(start) - frozenset(candidates.names),
    )


def _needs(workload: Workload, problem: Problem, names: Iterable[str]) -> dict[str, dict[Place, int]]:
    """Return the request of one replica from clusters that have limits, and of quotas, by cluster."""
    quotas = [rule for rule in problem.rules if isinstance(rule, Quota)]
    needed = capacity.needs(workload) if problem.has_capacity else {}
    limited, with_pods = problem.charged.names, problem.charged.with_pods
    found: dict[str, dict[Place, int]] = {}
    for name in names:
        taken: dict[Place, int] = {}
        if name in limited:
            pods = name in with_pods
            taken = {(name, resource): need for resource, need in needed.items() if pods or resource != PODS}
        for rule in quotas:
            one = asked(rule, workload, {name: 1})
            taken |= {_quota_place(rule, scope): need for scope, need in one.items()}
        if taken:
            found[name] = taken
    return found


def _quota_place(rule: Quota, scope: QuotaScope) -> Place:
    """Return how one limit of a quota is called."""
    return f"{rule} on {scope.cluster}" if scope.cluster else str(rule), scope.resource
