"""What workloads share and could have more of: room on clusters, quotas, budgets of moves."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from fairlead.models.cluster import PODS, Cluster, Grade
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity, MoveBudget, Quota, SharedRule
from fairlead.models.rules.capacity import demands, needs
from fairlead.models.workload import Workload
from fairlead.solver.why.answered import Answered, binds_sets
from fairlead.solver.why.change import Best, Change, bring_to, nothing
from fairlead.solver.why.limits import most_that_fit, no_more


def room_changes(about: Answered, *, binding: bool) -> Iterator[Change]:
    """Yield clusters that could have room for one replica more."""
    workload, part = about.workload, about.part
    if not any(isinstance(rule, Capacity) for rule in part.rules):
        return
    needed = needs(workload).keys() - {PODS}
    for name in _filled(about) if binding else about.candidates:
        cluster, replicas = part.cluster_by_name[name], about.replicas(name)
        most = most_that_fit(part, workload, cluster)
        # Of a resource that a cluster does not list there cannot be more; pods it need not list.
        if cluster.free is None or most is None or not needed <= cluster.free.keys():
            continue
        full = (
            replicas >= most if about.alone else any(_is_full(about, each, name) for each in part.workloads)
        )
        if most >= workload.replicas or (binding and not full):
            continue
        best: Best | None = None
        if about.alone:
            opens = full and no_more(part, workload, name, replicas, aside="room") is None
            best = bring_to(name) if opens else nothing
        action = f"room for one replica more on {name}"
        yield Change(action, _roomier(about, cluster), cluster.source, name, full, best)


def _filled(about: Answered) -> tuple[str, ...]:
    """Return the candidates that might be full: all of them where others use them too."""
    if about.exchanges is None or not about.alone:
        return about.candidates
    upper = about.exchanges.upper
    return tuple(name for name in about.candidates if about.replicas(name) >= upper[name])


def _is_full(about: Answered, workload: Workload, cluster: str) -> bool:
    """Tell whether a workload might use more room on a cluster even if nobody else did."""
    most = most_that_fit(about.part, workload, about.part.cluster_by_name[cluster])
    held_there = about.placement.of(workload.key).get(cluster, 0)
    return binds_sets(workload) or (most is not None and held_there >= most)


def shared_changes(about: Answered) -> Iterator[Change]:
    """Yield quotas and budgets of moves that could be larger.

    What limits single clusters is in the box; all else does not bind where marginal allocation found the
    answer without it.
    """
    workload, rules = about.workload, about.part.rules
    for rule in rules:
        match rule:
            case Quota() if rule.namespace == workload.namespace:
                for cluster in sorted({scope.cluster for scope in rule.limits}, key=lambda each: each or ""):
                    where = "" if cluster is None else f" on {cluster}"
                    action = f"room for one replica more in {rule}{where}"
                    build = _sharing(about, rule, _larger(rule, workload, cluster))
                    best = nothing if cluster is None else None
                    yield Change(action, build, rule.source, cluster, best=best)
            case MoveBudget() if rule.workloads is None or workload.key in rule.workloads:
                action = f"letting {rule.name} move {rule.most + 1} instead of {rule.most} replicas"
                build = _sharing(about, rule, replace(rule, most=rule.most + 1))
                yield Change(action, build, rule.source, best=nothing)
            case _:
                pass


def _larger(rule: Quota, workload: Workload, cluster: str | None) -> Quota:
    """Return a quota with room for one replica more on a cluster, or on all together."""
    needed = needs(workload)
    limits = {
        scope: limit._replace(hard=limit.hard + needed.get(scope.resource, 0))
        if scope.cluster == cluster
        else limit
        for scope, limit in rule.limits.items()
    }
    return replace(rule, limits=limits)


def _sharing(about: Answered, rule: SharedRule, other: SharedRule) -> Callable[[], Problem]:
    """Return what makes the problem with another shared rule in the place of one."""
    rules = tuple(other if each is rule else each for each in about.part.rules)
    return lambda: replace(about.part, rules=rules)


def _roomier(about: Answered, cluster: Cluster) -> Callable[[], Problem]:
    """Return what makes the problem in which a cluster has room for one replica more."""

    def build() -> Problem:
        needed, free = demands(about.workload, cluster), dict(cluster.free or {})
        for resource, need in needed.items():
            own = sum(
                demands(each, cluster).get(resource, 0) * each.current.get(cluster.name, 0)
                for each in about.part.workloads
            )
            # A cluster that is overcommitted by others offers nothing: one replica starts from there.
            free[resource] = max(free.get(resource, 0), -own) + need
        nodes = (Grade(1, needs(about.workload)),) if cluster.grades else ()
        larger = replace(cluster, free=free, grades=(*cluster.grades, *nodes))
        clusters = tuple(larger if each is cluster else each for each in about.part.clusters)
        return replace(about.part, clusters=clusters)

    return build
