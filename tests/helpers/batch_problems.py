"""Random batches, small enough for brute force: workloads with a box each that compete for capacity."""

import itertools
import random
from dataclasses import replace
from fractions import Fraction

from ortools.linear_solver.python import model_builder

from fairlead.models.cluster import CPU, PODS, Cluster
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Candidates,
    Capacity,
    Duplicated,
    Moves,
    Price,
    Spread,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.workload import Workload
from orders import WITHOUT_BALANCE

PRICE_FIRST = (
    "minima",
    "cost",
    "tiers",
    *(key for key in WITHOUT_BALANCE if key not in ("minima", "cost", "tiers")),
)


def random_batch(
    seed: int,
    deviation: Deviation,
    *,
    workloads: int = 3,
    clusters: int = 3,
    most_replicas: int = 5,
    load: float | None = None,
) -> Problem:
    """Return the batch of a seed.

    Parameters
    ----------
    seed
        The same seed gives the same problem.
    deviation
        The measure of distance.
    workloads, clusters, most_replicas
        Sizes are drawn from 1 (clusters from 2) up to these.
    load
        Part of the capacity that is asked for, about; drawn where it is None, sometimes more than there is.
    """
    rng = random.Random(f"batch {seed} {deviation}")
    names = [f"member{i + 1}" for i in range(rng.randint(2, clusters))]
    made = tuple(
        _workload(rng, f"default/w{i + 1}", names, most_replicas) for i in range(rng.randint(1, workloads))
    )
    asked = {
        resource: sum(each.requests.get(resource, int(resource == PODS)) * each.replicas for each in made)
        for resource in (CPU, "memory", PODS)
    }
    part = load or rng.choice([0.5, 0.7, 0.85, 0.95, 1.1])
    members = tuple(Cluster(name, free=_free(rng, asked, part * len(names))) for name in names)
    order = WITHOUT_BALANCE if rng.random() < 0.8 else PRICE_FIRST
    return Problem(members, made, (Capacity(),), order, deviation)


def _free(rng: random.Random, asked: dict[str, int], part: float) -> dict[str, int] | None:
    """Return what one cluster has free; now and then nobody knows."""
    if rng.random() < 0.05:
        return None
    shares = {resource: amount / part * rng.uniform(0.6, 1.5) for resource, amount in asked.items()}
    free = {CPU: int(shares[CPU]), "memory": int(shares["memory"])}
    return {**free, PODS: int(shares[PODS]) + 1} if rng.random() < 0.5 else free


def _workload(rng: random.Random, key: str, names: list[str], most_replicas: int) -> Workload:
    """Return a workload with the rules that can be said place by place."""
    replicas = rng.randint(0, most_replicas)
    open_to = [name for name in names if rng.random() < 0.9] or names
    current = {name: rng.randint(1, 3) for name in [*names, "gone"] if rng.random() < 0.5}
    rules: list[WorkloadRule] = [
        Candidates(tuple(open_to), _excluded(names, open_to), _kept(rng, open_to)),
        Total(),
    ]
    if rng.random() < 0.3:
        minimum = {name: Bound(rng.randint(0, 2)) for name in open_to if rng.random() < 0.3}
        maximum = {name: Bound(rng.randint(1, replicas + 1)) for name in open_to if rng.random() < 0.3}
        rules.append(Bounds(minimum, maximum))
    if rng.random() < 0.9:
        rules.append(
            Weights({name: rng.choice([0, 1, 1, 2, 3, 5, 7]) for name in open_to}, rng.random() < 0.3)
        )
    if rng.random() < 0.6:
        rules.append(Moves(frozenset(names), keep=rng.random() < 0.5))
    if rng.random() < 0.15:
        rules.append(Price({name: Fraction(rng.randint(0, 6), rng.choice([1, 2, 3])) for name in open_to}))
    if rng.random() < 0.15 and len(open_to) > 1:
        rules.append(Tiers((frozenset(open_to[:1]), frozenset(open_to[1:]))))
    return Workload(
        key,
        key.partition("/")[2],
        replicas,
        requests=rng.choice(
            [{CPU: 200, "memory": 3}, {CPU: 300}, {CPU: 100, "memory": 5}, {"memory": 4}, {}]
        ),
        current=current,
        fresh=rng.random() < 0.3,
        rules=tuple(rules),
    )


def _excluded(names: list[str], open_to: list[str]) -> dict[str, Exclusion]:
    """Return why the others are no candidates."""
    return {name: Exclusion("did not match") for name in names if name not in open_to}


def _kept(rng: random.Random, names: list[str]) -> dict[str, Exclusion]:
    """Return candidates that take nothing new, at times."""
    return {name: Exclusion("had untolerated taint") for name in names if rng.random() < 0.05}


def middling(
    seed: int,
    deviation: Deviation,
    workloads: int = 30,
    clusters: int = 6,
    load: float = 0.9,
    priorities: tuple[int, ...] = (0,),
) -> Problem:
    """Return a batch of middle size whose clusters are filled to nine tenths, or as said.

    Parameters
    ----------
    seed, deviation, workloads, clusters, load
        See `random_batch`.
    priorities
        What workloads have in turn.
    """
    rng = random.Random(f"middling {seed}")
    names = [f"member{number}" for number in range(clusters)]
    made = []
    for number in range(workloads):
        open_to = tuple(sorted(rng.sample(names, rng.randint(2, clusters))))
        weights = Weights({name: rng.randint(1, 10) for name in open_to})
        requests = {CPU: rng.choice([100, 250, 500, 1000]), "memory": rng.choice([1, 2, 4])}
        rules = (Candidates(open_to), Total(), weights)
        name = f"w{number:03d}"
        priority = priorities[number % len(priorities)]
        made.append(
            Workload(name, name, rng.randint(1, 20), requests=requests, priority=priority, rules=rules)
        )
    asked = {r: sum(each.requests[r] * each.replicas for each in made) for r in (CPU, "memory")}
    shares = [rng.uniform(0.5, 1.5) for _ in names]
    # All requests are multiples of 50m; so is what is free, since anything between is of no use.
    free = [{r: int(amount / load * share / sum(shares)) for r, amount in asked.items()} for share in shares]
    members = tuple(
        Cluster(name, free={**each, CPU: each[CPU] // 50 * 50})
        for name, each in zip(names, free, strict=True)
    )
    return Problem(members, tuple(made), (Capacity(),), WITHOUT_BALANCE, deviation)


def fleet(seed: int, deviation: Deviation = Deviation.L1, workloads: int = 24, clusters: int = 8) -> Problem:
    """Return a batch of which every third workload has regions, tiers, full copies or few clusters."""
    rng = random.Random(f"mixed {seed}")
    names = tuple(f"member{number}" for number in range(clusters))
    regions = {f"region{n}": frozenset(names[n::4]) for n in range(4)}
    made = []
    for number in range(workloads):
        weights = Weights({name: rng.randint(1, 9) for name in names})
        rules: tuple[WorkloadRule, ...] = (Candidates(names), Total(), weights)
        replicas = rng.randint(2, 20)
        match number % 12:
            case 0:
                rules = (*rules, Spread("region", regions, 2, 2))
            case 3:
                tiers = (frozenset(names[:3]), frozenset(names[3:]))
                rules = (Candidates(names), Total(), Tiers(tiers), replace(weights, tiers=tiers))
            case 6:
                rules = (*rules, Aggregated())
            case 9:
                rules, replicas = (Candidates(names), Duplicated()), 1
        requests = {CPU: rng.choice([100, 250, 500])}
        made.append(Workload(f"w{number:02d}", f"w{number:02d}", replicas, requests=requests, rules=rules))
    copies = [clusters if each.rule(Duplicated) else 1 for each in made]
    asked = sum(each.requests[CPU] * each.replicas * count for each, count in zip(made, copies, strict=True))
    shares = [rng.uniform(0.6, 1.4) for _ in names]
    members = tuple(
        Cluster(name, free={CPU: int(asked / 0.85 * share / sum(shares))})
        for name, share in zip(names, shares, strict=True)
    )
    return Problem(members, tuple(made), (Capacity(),), WITHOUT_BALANCE, deviation)


def room(workload: Workload, problem: Problem, name: str) -> int:
    """Return how many replicas of a workload a cluster can take if it takes nothing else."""
    return min(problem.limits[name, resource] // need for resource, need in workload.requests.items())


def linear_optimum(problem: Problem, priority: int = 0, pinned: tuple[int, float] | None = None) -> float:
    """Return the optimum of the linear program over the integer hull of the deviation of a priority.

    Parameters
    ----------
    problem
        Workloads with static weights.
    priority
        Whose deviation counts.
    pinned
        Another priority and what its deviation may be at most; None for no such limit.
    """
    program = model_builder.Model()
    used: dict[tuple[str, str], list[tuple[float, model_builder.Variable]]] = {}
    cost: list[tuple[float, model_builder.Variable]] = []
    constant, held = 0.0, 0.0
    kept: list[tuple[float, model_builder.Variable]] = []
    for workload in problem.workloads:
        rule = workload.rule(Weights)
        assert rule is not None
        whole = sum(rule.weights.values())
        placed = []
        for name, weight in rule.weights.items():
            quota = Fraction(workload.replicas * weight, whole)
            values = [
                abs(count - quota) if problem.deviation is Deviation.L1 else (count - quota) ** 2 / quota
                for count in range(min(workload.replicas, room(workload, problem, name)) + 1)
            ]
            counts = workload.priority == priority
            constant += float(values[0]) if counts else 0.0
            is_pinned = pinned is not None and workload.priority == pinned[0]
            held += float(values[0]) if is_pinned else 0.0
            for low, high in itertools.pairwise(values):
                variable = program.new_num_var(0, 1, "")
                placed.append(variable)
                cost.append((float(high - low) if counts else 0.0, variable))
                if is_pinned:
                    kept.append((float(high - low), variable))
                for resource, need in workload.requests.items():
                    used.setdefault((name, resource), []).append((float(need), variable))
        program.add(sum(placed) == workload.replicas)
    for spot, terms in used.items():
        program.add(sum(need * variable for need, variable in terms) <= problem.limits[spot])
    if pinned is not None:
        program.add(sum(factor * variable for factor, variable in kept) <= pinned[1] - held)
    program.minimize(sum(factor * variable for factor, variable in cost))
    solver = model_builder.Solver("glop")
    assert solver.solve(program) == model_builder.SolveStatus.OPTIMAL
    return float(solver.objective_value) + constant
