"""Encoders of rules about single clusters and totals: what each allows, forbids, and makes the best."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import get_args

import pytest
from ortools.sat.python import cp_model

from encoded import allows, best, encoded
from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.joint import ConditionalEncoding
from fairlead.encoders.registry import ENCODERS
from fairlead.encoders.variables import Interval, Place
from fairlead.models.cluster import CPU, PODS, Cluster
from fairlead.models.errors import InternalError
from fairlead.models.levels import DEVIATION, MOVES_FIRST, MOVES_LAST, Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Duplicated,
    Moves,
    Quota,
    SharedRule,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.workload import Workload

NAMES = ("member1", "member2", "member3")
ALL = Candidates(NAMES)
PRESENT = frozenset(NAMES)


def problem_of(
    *rules: WorkloadRule, replicas: int = 4, shared: tuple[Capacity, ...] = (), **more: object
) -> Problem:
    """Return a problem of one workload on three clusters; member3 has room for two replicas."""
    workload = replace(Workload("a", "a", replicas, requests={CPU: 100}, rules=rules), **more)  # type: ignore[arg-type]
    free: Mapping[str, Mapping[str, int] | None] = {"member3": {CPU: 250}}
    return Problem(tuple(Cluster(name, free=free.get(name)) for name in NAMES), (workload,), shared)


def test_every_rule_has_an_encoder() -> None:
    """A new rule cannot be forgotten: the registry knows every member of both unions, and nothing else."""
    shared = get_args(SharedRule) or (SharedRule,)
    assert set(ENCODERS) == {*get_args(WorkloadRule), *shared}


def test_ranges_are_narrowed_before_they_are_used() -> None:
    """Rules about single numbers come before all that make variables."""
    order = list(ENCODERS)
    narrowing = {Candidates, Capacity, Bounds, Duplicated, Quota}
    assert set(order[: len(narrowing)]) == narrowing


def test_candidates() -> None:
    """Nothing stands on an excluded cluster; where nothing new is allowed, what is held may stay."""
    rule = Candidates(
        ("member1", "member2"),
        {"member3": Exclusion("did not match")},
        {"member2": Exclusion("had untolerated taint {gpu}")},
    )
    problem = problem_of(rule, Total(), current={"member2": 2})
    assert allows(problem)
    assert not allows(problem, member3=1)
    assert not allows(problem, member2=3)
    assert allows(problem, member2=2, member1=2)


def test_candidates_change_the_best() -> None:
    """Without member1 the ratio 2:1:1 of four replicas can no longer be met."""
    weights = Weights({"member1": 2, "member2": 1, "member3": 1})
    assert best(problem_of(ALL, Total(), weights)) == {"member1": 2, "member2": 1, "member3": 1}
    rule = Candidates(("member2", "member3"), {"member1": Exclusion("did not match")})
    # The workload's own weights leave the excluded cluster out as well: 1:1 of four.
    equal = Weights({"member2": 1, "member3": 1})
    assert best(problem_of(rule, Total(), equal)) == {"member2": 2, "member3": 2}


def test_total() -> None:
    """The replicas of all clusters add up to four."""
    problem = problem_of(ALL, Total())
    assert allows(problem)
    assert not allows(problem, member1=3, member2=3)
    assert not allows(problem, member1=0, member2=0, member3=3)
    assert allows(problem, member1=0, member2=0, member3=4)


def test_total_changes_the_best() -> None:
    """Without a total the quotas 1.5 and 0.5 of two replicas would be approached one by one."""
    # x1 = 1 or 2 lie equally far from 1.5, and 0 or 1 from 0.5: ties go up, to 2 and 1, three in all.
    weights = Weights({"member1": 3, "member2": 1})
    assert best(problem_of(Candidates(NAMES[:2]), weights, replicas=2)) == {"member1": 2, "member2": 1}
    # With the total, (2, 0) and (1, 1) tie: (1/4) / (3/2) + (1/4) / (1/2) = 2/3 either way.
    assert best(problem_of(Candidates(NAMES[:2]), Total(), weights, replicas=2)) == {"member1": 2}


def test_duplicated() -> None:
    """Every candidate holds a full copy, the others nothing."""
    rule = Candidates(NAMES[:2], {"member3": Exclusion("did not match")})
    problem = problem_of(rule, Duplicated())
    assert allows(problem)
    assert not allows(problem, member1=3)
    assert not allows(problem, member3=4)
    assert allows(problem, member1=4, member2=4, member3=0)
    assert best(problem) == {"member1": 4, "member2": 4}


def test_bounds() -> None:
    """A minimum and a maximum on two clusters; a workload scaled to 0 needs no minimum."""
    rule = Bounds({"member1": Bound(2)}, {"member2": Bound(1)})
    problem = problem_of(ALL, Total(), rule)
    assert allows(problem)
    assert not allows(problem, member1=1)
    assert not allows(problem, member2=2)
    assert allows(problem, member1=2, member2=1, member3=1)
    assert allows(problem_of(ALL, Total(), rule, replicas=0), member1=0)


def test_bounds_change_the_best() -> None:
    """Four replicas over 1:1 are two and two, unless member1 may hold only one."""
    rules = (Candidates(NAMES[:2]), Total(), Weights({"member1": 1, "member2": 1}))
    assert best(problem_of(*rules)) == {"member1": 2, "member2": 2}
    assert best(problem_of(*rules, Bounds({}, {"member1": Bound(1)}))) == {"member1": 1, "member2": 3}


def test_bounds_that_leave_no_number() -> None:
    """A minimum above the maximum is seen without a solver, and the model is infeasible as well."""
    problem = problem_of(ALL, Total(), Bounds({"member1": Bound(3)}, {"member1": Bound(2)}))
    assert encoded(problem).variables.empty == Place("a", "member1")
    assert not allows(problem)


def test_capacity_of_one_workload() -> None:
    """member3 has 250m free: room for two replicas of 100m, and for those that it holds already."""
    problem = problem_of(ALL, Total(), shared=(Capacity(),))
    assert allows(problem)
    assert not allows(problem, member3=3)
    assert allows(problem, member3=2)
    # The one that runs there frees its 100m: 350m are three replicas.
    assert allows(problem_of(ALL, Total(), shared=(Capacity(),), current={"member3": 1}), member3=3)


def test_capacity_changes_the_best() -> None:
    """Nine replicas over 1:1:1 are three each, but member3 has room for two: one goes to the first."""
    rules = (ALL, Total(), Weights(dict.fromkeys(NAMES, 1)))
    assert best(problem_of(*rules, replicas=9)) == {"member1": 3, "member2": 3, "member3": 3}
    found = best(problem_of(*rules, replicas=9, shared=(Capacity(),)))
    assert found == {"member1": 4, "member2": 3, "member3": 2}


def shared_problem(free: Mapping[str, int], *requests: Mapping[str, int]) -> Problem:
    """Return workloads of two replicas on one cluster with so much free."""
    workloads = tuple(
        Workload(f"w{i}", f"w{i}", 2, requests=request, rules=(Candidates(("member1",)),))
        for i, request in enumerate(requests)
    )
    return Problem((Cluster("member1", free=free),), workloads, (Capacity(),))


def test_capacity_is_shared() -> None:
    """Two workloads of 200m and 300m each fit twice into 800m, but not both twice."""
    encoding = encoded(shared_problem({CPU: 800}, {CPU: 200}, {CPU: 300}))
    assert encoding.coupled
    x, y = encoding.replicas("w0", "member1"), encoding.replicas("w1", "member1")
    encoding.model.maximize(2 * x + 3 * y)
    solver = cp_model.CpSolver()
    assert solver.solve(encoding.model) == cp_model.OPTIMAL
    # In hundreds of millicores 2 x + 3 y <= 8: x = 1, y = 2 uses all of it.
    assert (solver.value(x), solver.value(y)) == (1, 2)


def test_capacity_rows_that_cannot_bind_are_left_out() -> None:
    """Rows that hold whatever the placement are no rows: the workloads stay apart."""
    assert not encoded(shared_problem({CPU: 1000}, {CPU: 200}, {CPU: 300})).coupled
    # Five pods are enough for two workloads of two replicas; four would be as well, three not.
    assert not encoded(shared_problem({PODS: 4}, {}, {})).coupled
    assert encoded(shared_problem({PODS: 3}, {}, {})).coupled


def test_a_resource_that_the_cluster_does_not_list_has_no_room() -> None:
    """The cluster tells of cpu only: nothing that asks for a gpu fits."""
    encoding = encoded(shared_problem({CPU: 800}, {CPU: 100, "gpu": 1}))
    assert encoding.variables.range(Place("w0", "member1")) == Interval(0, 0)


@pytest.mark.parametrize(
    ("deviation", "expected"),
    [
        # Seven replicas over 5:1:1 with at most three on member1; four are left for two equal clusters.
        (Deviation.WEBSTER, {"member1": 3, "member2": 2, "member3": 2}),
        # |x2 - 1| + |x3 - 1| is 2 for every division of the four, so the first takes all it can.
        (Deviation.L1, {"member1": 3, "member2": 4}),
        # The greatest of |x2 - 1| and |x3 - 1| is least for 2 and 2.
        (Deviation.MINIMAX, {"member1": 3, "member2": 2, "member3": 2}),
    ],
)
def test_weights(deviation: Deviation, expected: Mapping[str, int]) -> None:
    """The measure decides what the best division is."""
    rules = (
        ALL,
        Total(),
        Bounds({}, {"member1": Bound(3)}),
        Weights({"member1": 5, "member2": 1, "member3": 1}),
    )
    found = best(replace(problem_of(*rules, replicas=7), deviation=deviation))
    if deviation is Deviation.L1:
        # x2 >= 1 and x3 >= 1 keep the sum at 2; the lexicographically greatest of these is 3 and 1.
        expected = {"member1": 3, "member2": 3, "member3": 1}
    assert found == expected


def test_moves() -> None:
    """Of equal divisions the one that stops fewer replicas is best."""
    weights = Weights(dict.fromkeys(NAMES[:2], 1))
    rules = (Candidates(NAMES[:2]), Total(), weights)
    # Three replicas over 1:1: two go to the first, unless two run on the second.
    assert best(problem_of(*rules, replicas=3)) == {"member1": 2, "member2": 1}
    current = {"member1": 1, "member2": 2}
    problem = problem_of(*rules, Moves(PRESENT), replicas=3, current=current)
    assert best(problem) == {"member1": 1, "member2": 2}


@pytest.mark.parametrize(
    ("keep", "fresh", "level"),
    [(True, False, MOVES_FIRST), (True, True, MOVES_LAST), (False, False, MOVES_LAST)],
)
def test_moves_count_on_the_right_level(keep: bool, fresh: bool, level: object) -> None:
    """Moves come first where the workload keeps what runs, unless a fresh schedule was asked for."""
    problem = problem_of(
        ALL, Total(), Moves(PRESENT, keep=keep), current={"member1": 6, "gone": 9}, fresh=fresh
    )
    cost = encoded(problem).levels
    assert set(cost) == {level}
    # Six run where four are wanted: two have to stop. With three on member1 one more is stopped.
    (found,) = cost.values()
    steps = found.steps(Placement({"a": {"member1": 3, "member2": 1}}))
    assert found.value(steps) == 1


def test_costs_of_one_level_need_one_scale() -> None:
    """Steps of different size cannot be added up."""
    encoding = Encoding(problem_of(ALL))
    encoding.prefer(DEVIATION, (), because=Origin("weights"), scale=2)
    with pytest.raises(InternalError, match="1/2 and of 1/3"):
        encoding.prefer(DEVIATION, (), because=Origin("weights"), scale=3)


def test_literals_switch_rules_on() -> None:
    """4 replicas, two minima of 3: all at once are infeasible, any but one are not."""
    rules: tuple[Total | Bounds, ...] = (
        Total(),
        Bounds({"member1": Bound(3)}),
        Bounds({"member2": Bound(3)}),
    )
    problem = problem_of(ALL, *rules)
    encoding = ConditionalEncoding(problem, {})
    guards = [encoding.model.new_bool_var("") for _ in rules]
    for rule, guard in zip(rules, guards, strict=True):
        with encoding.under(guard):
            ENCODERS[type(rule)](rule, problem.workloads[0], encoding)
    encoding.model.maximize(sum(guards))
    solver = cp_model.CpSolver()
    assert solver.solve(encoding.model) == cp_model.OPTIMAL
    assert round(solver.objective_value) == len(guards) - 1


def test_values_are_read_back() -> None:
    """A placement given as values comes back; a place without a variable holds its only number."""
    rule = Candidates(NAMES[:2], {"member3": Exclusion("did not match")})
    encoding = encoded(problem_of(rule, Duplicated()))
    assert encoding.placement(lambda _: 1) == Placement({"a": {"member1": 4, "member2": 4}})


def test_the_shared_scale_makes_costs_whole() -> None:
    """Two workloads with thirds and sevenths: one scale serves both, and values come back exactly."""
    first = problem_of(ALL, Total(), Weights(dict.fromkeys(NAMES, 1)), replicas=4)
    other = replace(first.workloads[0], key="b", rules=(ALL, Total(), Weights({"member1": 5, "member2": 2})))
    problem = replace(first, workloads=(*first.workloads, other), deviation=Deviation.L1)
    cost = encoded(problem).levels[DEVIATION]
    assert (cost.scale, cost.exact) == (21, True)
    placement = Placement(
        {"a": {"member1": 2, "member2": 1, "member3": 1}, "b": {"member1": 3, "member2": 1}}
    )
    # a: 2/3 + 1/3 + 1/3; b: |3 - 20/7| + |1 - 8/7|.
    assert cost.value(cost.steps(placement)) == Fraction(4, 3) + Fraction(2, 7)
