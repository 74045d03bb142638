"""The slack mode of a model: what may give way, by how much, and what the least of it is."""

import pytest

from fairlead.encoders.capacity import gives_way
from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.registry import encode
from fairlead.encoders.slack import Side
from fairlead.models.cluster import Cluster
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Spread, Survival, Total, WorkloadRule
from fairlead.models.rules.bounds import Bound
from fairlead.models.workload import Workload
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.engine import run
from fairlead.solver.running.search import RunLimits, Verdict

Allowed = dict[tuple[Origin, Side], int]


def problem(*rules: WorkloadRule, replicas: int = 4, cpu: int | None = None) -> Problem:
    """Return clusters a, b and c with one workload; each replica asks for 300m."""
    free = None if cpu is None else {"cpu": cpu}
    clusters = tuple(Cluster(name, free=free) for name in "abc")
    always = (Candidates(("a", "b", "c")), Total())
    workload = Workload("w", "w", replicas, requests={"cpu": 300}, rules=(*always, *rules))
    return Problem(clusters, (workload,), (Capacity(),))


def least(problem: Problem, allowed: Allowed) -> tuple[dict[tuple[Origin, Side], int], Placement] | None:
    """Return the least slack in all and a placement that has it; None where there is none."""
    encoding = encode(problem, giving=lambda because, side: allowed.get((because, side), 0))
    assert encoding is not None
    slack = list(encoding.given.values())
    variables = [*slack, *encoding.replica_variables]
    found = run(encoding.model, variables, [(each, 1) for each in slack], [], RunLimits(Deadline()))
    if found.verdict is not Verdict.OPTIMAL or found.values is None:
        return None
    placement = encoding.read(found.values[len(slack) :])
    assert_hint_is_complete(encoding, placement)
    return dict(zip(encoding.given, found.values, strict=False)), placement


def assert_hint_is_complete(encoding: Encoding, placement: Placement) -> None:
    """Assert that the values of a placement are a solution: fixing them all leaves the model feasible."""
    hint = encoding.values(placement)
    for variable, value in hint:
        encoding.model.add(variable == value)
    assert run(encoding.model, [], [], hint, RunLimits(Deadline())).verdict is Verdict.OPTIMAL


MINIMUM = Origin("bounds", "w", "a", "minimum")


def test_a_minimum_gives_way_by_what_is_missing() -> None:
    """At least 6 on a, 4 wanted: 2 replicas of the minimum are too many."""
    found = least(problem(Bounds({"a": Bound(6)})), {(MINIMUM, "least"): 6})
    assert found is not None
    assert found[0] == {(MINIMUM, "least"): 2}
    assert found[1].of("w") == {"a": 4}


def test_no_more_than_allowed() -> None:
    """2 are too many, but only 1 may be missed."""
    assert least(problem(Bounds({"a": Bound(6)})), {(MINIMUM, "least"): 1}) is None


def test_what_does_not_give_way_must_hold() -> None:
    """The maximum of 1 on a stays, so of a minimum of 3 two are missed, and the rest stands elsewhere."""
    rule = Bounds({"a": Bound(3)}, {"a": Bound(1)})
    found = least(problem(rule), {(MINIMUM, "least"): 3})
    assert found is not None
    assert found[0] == {(MINIMUM, "least"): 2}
    assert found[1].of("w")["a"] == 1


def test_both_sides_of_a_total() -> None:
    """At most 1 on each of three clusters: one of 4 replicas stays unplaced."""
    most = {name: Bound(1) for name in "abc"}
    short: tuple[Origin, Side] = (Origin("total", "w"), "least")
    found = least(problem(Bounds({}, most)), {short: 4, (short[0], "most"): 4})
    assert found is not None
    assert {key: amount for key, amount in found[0].items() if amount} == {short: 1}


def test_capacity_counts_in_steps_and_is_shared() -> None:
    """400m each hold one replica of 300m; the fourth takes 200m more, one step of 300m."""
    allowed: Allowed = {(gives_way(name, "cpu"), "most"): 10 for name in "abc"}
    found = least(problem(cpu=400), allowed)
    assert found is not None
    assert sum(found[0].values()) == 1


def test_spread_gives_way_in_groups() -> None:
    """One replica reaches one of 3 groups: two groups are missed, and the total still holds."""
    groups = {name: frozenset({name}) for name in "abc"}
    wide: tuple[Origin, Side] = (Origin("spread", "w", None, "cluster"), "least")
    found = least(problem(Spread("cluster", groups, 3), replicas=1), {wide: 2})
    assert found is not None
    assert found[0] == {wide: 2}


def test_every_group_of_a_survival_gives_way_by_itself() -> None:
    """What is left without x stands on c, what is left without y on a and b: 4 in all, of 3 and 3."""
    groups = {"x": frozenset("ab"), "y": frozenset("c")}
    rows: Allowed = {(Origin("survival", "w", None, f"region {name}"), "least"): 9 for name in groups}
    found = least(problem(Survival("region", groups, 3)), rows)
    assert found is not None
    assert sum(found[0].values()) == 2


def test_nothing_changes_without_it() -> None:
    """Where nothing may give way, there is no slack variable, and ranges are as narrow as ever."""
    question = problem(Bounds({"a": Bound(2)}, {"b": Bound(1)}), cpu=900)
    plain, strict = encode(question), encode(question, giving=lambda _because, _side: 0)
    assert plain is not None
    assert strict is not None
    assert not strict.given
    for place in plain.variables.places():
        assert strict.variables.range(place) == plain.variables.range(place)


@pytest.mark.parametrize("side", ["least", "most"])
def test_a_place_that_gives_way_keeps_its_range(side: Side) -> None:
    """The other side still narrows it."""
    rule = Bounds({"a": Bound(2)}, {"a": Bound(3)})
    detail = "minimum" if side == "least" else "maximum"
    loose = Origin("bounds", "w", "a", detail)
    encoding = encode(problem(rule), giving=lambda because, at: 9 if (because, at) == (loose, side) else 0)
    assert encoding is not None
    (first, *_) = encoding.variables.places()
    assert encoding.variables.range(first) == ((0, 3) if side == "least" else (2, 4))
