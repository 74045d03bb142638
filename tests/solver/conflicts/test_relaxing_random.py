"""Relaxations against brute force: on tiny problems with any rules, no cheaper changes exist."""

import random
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import combinations_with_replacement

import pytest

from brute_force import placements
from fairlead.models.cluster import Taint
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    Duplicated,
    GroupTotal,
    MoveBudget,
    Quota,
    Skew,
    Spread,
    Survival,
    Total,
)
from fairlead.models.rules.capacity import demands, needs
from fairlead.models.statement import Change, Detail, detail_text
from fairlead.models.workload import Workload
from fairlead.solver.changes.apply import apply
from fairlead.solver.changes.kinds import ChangeKind
from fairlead.solver.changes.quota import detail_of, number_of
from fairlead.solver.relaxation import relaxations
from fairlead.solver.running.search import Search
from fairlead.solver.simulate.closed_clusters import drained
from random_problems import random_problem, with_losses, with_quotas, with_skews
from seeds import holds_for, seeds

DEAREST = 2
"""Sets of changes are enumerated up to this cost."""

TAINTS = (Taint("gpu", "", "NoSchedule"), Taint("edge", "x", "NoExecute"))
Pull = tuple[ChangeKind, str | None, str | None, Detail, int]
"""Kind, workload, cluster and detail of a change, and the direction."""


def tainted(problem: Problem, seed: int) -> Problem:
    """Let taints be what closes clusters."""
    rng = random.Random(seed)
    workloads = []
    for workload in problem.workloads:
        rule = workload.rule(Candidates)
        if rule is None:
            workloads.append(workload)
            continue
        shut = {
            name: replace(each, taints=tuple(taint for taint in TAINTS if rng.random() < 0.6))
            for name, each in rule.excluded.items()
        }
        kept = {name: replace(each, taints=(rng.choice(TAINTS),)) for name, each in rule.held_only.items()}
        changed = replace(rule, excluded=shut, held_only=kept)
        rules = tuple(changed if each is rule else each for each in workload.rules)
        workloads.append(replace(workload, rules=rules))
    return replace(problem, workloads=tuple(workloads))


def pulls(problem: Problem) -> Iterator[Pull]:  # noqa: C901 - one case a rule
    """Yield everything that may be changed, by one step."""
    for workload in problem.workloads:
        if workload.replicas:
            yield from of_workload(workload)
    for rule in problem.rules:
        if isinstance(rule, Companionship):
            yield from ((ChangeKind.COMPANION, member, None, rule.name, -1) for member in rule.members)
        if isinstance(rule, Capacity):
            for cluster in problem.clusters:
                wanted = {each for workload in problem.workloads for each in demands(workload, cluster)}
                for resource in sorted(wanted) if cluster.free is not None else ():
                    yield ChangeKind.CAPACITY, None, cluster.name, resource, 1
        if isinstance(rule, Quota):
            for scope in rule.limits:
                yield ChangeKind.QUOTA, None, scope.cluster, detail_of(rule, scope.resource), 1
        if isinstance(rule, MoveBudget):
            yield ChangeKind.MOVE_BUDGET, None, None, rule.name, 1


def of_workload(workload: Workload) -> Iterator[Pull]:  # noqa: C901, PLR0912 - one case a rule
    """Yield what may be changed of one workload."""
    key = workload.key
    copies = workload.rule(Duplicated)
    for rule in workload.rules:
        match rule:
            case Total():
                yield from ((ChangeKind.REPLICAS, key, None, "", by) for by in (-1, 1))
            case Duplicated() if not rule.copies:
                yield from ((ChangeKind.REPLICAS, key, None, "", by) for by in (-1, 1))
            case Bounds():
                yield from ((ChangeKind.MINIMUM, key, name, "", -1) for name in rule.minimum)
                yield from ((ChangeKind.MAXIMUM, key, name, "", 1) for name in rule.maximum)
            case GroupTotal() if rule.minimum == rule.maximum:
                yield from ((ChangeKind.TOTAL, key, None, rule.name, by) for by in (-1, 1))
            case GroupTotal():
                yield ChangeKind.GROUP_MINIMUM, key, None, rule.name, -1
                if rule.maximum is not None:
                    yield ChangeKind.GROUP_MAXIMUM, key, None, rule.name, 1
            case Spread():
                yield ChangeKind.FEWEST_GROUPS, key, None, rule.field, -1
                if rule.maximum is not None:
                    yield ChangeKind.MOST_GROUPS, key, None, rule.field, 1
            case Survival():
                yield ChangeKind.SURVIVAL, key, None, rule.name, -1
            case Skew():
                yield ChangeKind.SKEW, key, None, rule.field, 1
            case Candidates():
                needless = copies and not copies.choice and rule.names
                closed = dict(rule.held_only) if needless else {**rule.excluded, **rule.held_only}
                taints = {taint for each in closed.values() for taint in each.taints}
                yield from ((ChangeKind.TOLERATION, key, None, taint, 1) for taint in sorted(taints))
            case _:
                continue


def change_of(problem: Problem, pull: Pull, times: int) -> Change | None:
    """Return a change of so many steps; None where it cannot go so far."""
    kind, key, cluster, detail, direction = pull
    before = value_of(problem, pull)
    after = before + direction * times
    if kind is ChangeKind.CAPACITY:
        return Change(
            kind, None, cluster, detail, 0, enough(problem, cluster or "", detail_text(detail), times), times
        )
    if kind is ChangeKind.QUOTA:
        return Change(kind, None, cluster, detail, before, before + enough_quota(problem, pull, times), times)
    least = 1 if kind in (ChangeKind.REPLICAS, ChangeKind.FEWEST_GROUPS) else 0
    if after < least or (kind is ChangeKind.TOLERATION and times > 1):
        return None
    return Change(kind, key, cluster, detail, before, after, times)


def enough(problem: Problem, name: str, resource: str, times: int) -> int:
    """Return the largest amount of a resource that costs so much."""
    cluster = problem.cluster_by_name[name]
    able = [each for each in problem.workloads if could_stand(each, name)]
    return times * max((demands(each, cluster).get(resource, 0) for each in able), default=0)


def enough_quota(problem: Problem, pull: Pull, times: int) -> int:
    """Return the largest amount of a quota that costs so much."""
    rule, scope = number_of(pull[3], pull[2], problem)
    asking = [
        needs(each).get(scope.resource, 0)
        for each in problem.workloads_in(rule.namespace)
        if any(could_stand(each, name) for name in problem.cluster_by_name if scope.cluster in (None, name))
    ]
    return times * max(asking, default=0)


def could_stand(workload: Workload, name: str) -> bool:
    """Tell whether a workload may stand on a cluster, perhaps after tolerating taints."""
    rule = workload.rule(Candidates)
    if rule is None or name in rule.names:
        return workload.replicas > 0
    return workload.replicas > 0 and bool(rule.excluded[name].taints)


def value_of(problem: Problem, pull: Pull) -> int:  # noqa: C901, PLR0912 - one case a kind
    """Return the number that a change is about."""
    kind, key, cluster, detail, direction = pull
    if kind in (ChangeKind.CAPACITY, ChangeKind.TOLERATION):
        return 0
    if kind is ChangeKind.COMPANION:
        return 1
    if kind is ChangeKind.QUOTA:
        quota, scope = number_of(detail, cluster, problem)
        return quota.limits[scope].hard
    if kind is ChangeKind.MOVE_BUDGET:
        return next(
            each.most for each in problem.rules if isinstance(each, MoveBudget) and each.name == detail
        )
    workload = problem.workload(key or "")
    if kind is ChangeKind.REPLICAS:
        return workload.replicas
    for rule in workload.rules:
        match rule:
            case Bounds() if kind is ChangeKind.MINIMUM:
                return rule.minimum[cluster or ""].replicas
            case Bounds() if kind is ChangeKind.MAXIMUM:
                return rule.maximum[cluster or ""].replicas
            case GroupTotal() if rule.name == detail and kind.value.startswith(("total", "group")):
                return rule.minimum if direction < 0 else rule.maximum or 0
            case Spread() if rule.field == detail and kind in (
                ChangeKind.FEWEST_GROUPS,
                ChangeKind.MOST_GROUPS,
            ):
                return rule.minimum if direction < 0 else rule.maximum or 0
            case Survival() if kind is ChangeKind.SURVIVAL and rule.name == detail:
                return rule.minimum
            case Skew() if kind is ChangeKind.SKEW and rule.field == detail:
                return rule.maximum
            case _:
                continue
    raise AssertionError(pull)


def cheapest(problem: Problem) -> int | None:
    """Return the least cost of changes that help; None where none up to `DEAREST` do."""
    known = list(pulls(problem))
    for cost in range(1, DEAREST + 1):
        for chosen in combinations_with_replacement(known, cost):
            counts = {pull: chosen.count(pull) for pull in chosen}
            changes = [change_of(problem, pull, times) for pull, times in counts.items()]
            made = [change for change in changes if change is not None]
            if len(made) == len(changes) and not crossed(counts) and feasible(apply(problem, made)):
                return cost
    return None


def crossed(counts: dict[Pull, int]) -> bool:
    """Tell whether one number is changed twice."""
    return len({pull[:4] for pull in counts}) < len(counts)


def feasible(problem: Problem) -> bool:
    """Tell whether any placement keeps all rules."""
    return next(placements(problem), None) is not None


def only(problem: Problem, keys: AbstractSet[str]) -> Problem:
    """Return some workloads of a problem, which are companions of each other only."""
    rules = tuple(
        replace(rule, members=tuple(key for key in rule.members if key in keys))
        if isinstance(rule, Companionship)
        else rule
        for rule in problem.rules
    )
    workloads = tuple(each for each in problem.workloads if each.key in keys)
    return replace(problem, workloads=workloads, rules=rules)


def small(seed: int) -> Problem:
    """Return a problem small enough for all sets of changes, some of its clusters tainted."""
    found = random_problem(
        seed, Deviation.WEBSTER, most_workloads=2, most_clusters=2 + seed % 2, most_replicas=3
    )
    return tainted(found, seed)


def with_budgets(problem: Problem, seed: int) -> Problem:
    """Return a problem with budgets of moves for all workloads, some, or one cluster; all run somewhere."""
    rng = random.Random(f"budgets {seed}")
    names = [cluster.name for cluster in problem.clusters]
    workloads = tuple(
        workload
        if workload.current
        else replace(workload, current={rng.choice(names): rng.randint(1, workload.replicas + 1)})
        for workload in problem.workloads
    )
    one = frozenset({rng.choice(names)})
    some = frozenset({rng.choice(workloads).key}) if workloads else frozenset()
    budgets = (
        MoveBudget("all workloads", rng.randint(0, 1)),
        MoveBudget("some workloads", 0, some),
        MoveBudget("leaving one", rng.randint(0, 1), leaving=one),
        MoveBudget("arriving at one", rng.randint(0, 1), arriving=one),
    )
    chosen = tuple(rng.sample(budgets, rng.randint(1, 2)))
    return replace(problem, workloads=workloads, rules=(*problem.rules, *chosen))


def compare(problem: Problem) -> bool:
    """Compare with brute force, which verifies relaxations too; tell whether there was one to find."""
    if feasible(problem):
        return False
    found = relaxations(problem, Search())
    for one in found:
        stuck = frozenset(one.without)
        others = problem.workload_by_key.keys() - stuck
        assert not stuck or not feasible(only(problem, stuck)), one
        assert feasible(only(apply(problem, one.changes), others)), one
        assert one.change == sum(change.cost for change in one.changes)
        assert all(change.amount for change in one.changes)
    by_cost = sorted(found, key=lambda one: one.change)
    supports = [
        {(each.kind, each.workload, each.cluster, each.detail) for each in one.changes} for one in by_cost
    ]
    for at, later in enumerate(supports):
        assert not any(earlier <= later for earlier in supports[:at])
    edited = [sum(1 for each in one.changes if each.cost) for one in found]
    assert edited == sorted(edited)
    least = cheapest(problem)
    if found and found[0].without:
        assert least is None
    elif least is not None:
        assert found, problem
        assert by_cost[0].change == least, by_cost[0]
        assert by_cost[0].proven
    elif found:
        assert by_cost[0].change > DEAREST, by_cost[0]
    return bool(found)


@pytest.mark.parametrize("which", seeds(60, 1500))
def test_nothing_cheaper_exists(which: range) -> None:
    """The cheapest costs what brute force finds, or more than it looks at."""
    holds_for(which, lambda seed: compare(small(seed)))


@pytest.mark.parametrize("which", seeds(60, 1000))
def test_nothing_cheaper_exists_under_quotas_and_budgets(which: range) -> None:
    """The same where namespaces have quotas, or few replicas may move; a third have both."""

    def compared(seed: int) -> None:
        problem = small(seed)
        if seed % 3:
            problem = with_quotas(problem, seed)
        if seed % 3 != 1:
            problem = with_budgets(problem, seed)
        compare(problem)

    holds_for(which, compared)


# In the last one copies that are made smaller are moved less.
def test_nothing_cheaper_exists_once_drained() -> None:
    """The same where a cluster is drained besides, which no toleration opens."""

    def compared(seed: int) -> None:
        problem = with_budgets(small(seed), seed)
        compare(drained(problem, random.Random(seed).choice(problem.clusters)))

    holds_for([*range(5000, 5030), 5145], compared)


# In the last three a toleration opens a cluster in a group of its own, which then holds too little.
@pytest.mark.parametrize("which", [*seeds(40, 800), [127, 420, 766]])
def test_nothing_cheaper_exists_under_skews(which: Iterable[int]) -> None:
    """The same where groups of clusters may not differ much."""
    holds_for(which, lambda seed: compare(with_skews(small(seed), seed)))


@pytest.mark.parametrize("which", seeds(40, 400))
def test_nothing_cheaper_exists_under_losses(which: range) -> None:
    """The same where several groups of clusters may be lost at once."""
    holds_for(which, lambda seed: compare(with_losses(small(seed), seed)))


def test_quotas_and_budgets_are_among_the_ways_out() -> None:
    """The random problems do lead to such changes, so that comparing them says something."""
    kinds = {
        change.kind
        for seed in range(20)
        for problem in (with_quotas(small(seed), seed), with_budgets(small(seed), seed))
        if not feasible(problem)
        for one in relaxations(problem, Search())
        for change in one.changes
    }
    assert {ChangeKind.QUOTA, ChangeKind.MOVE_BUDGET} <= kinds
