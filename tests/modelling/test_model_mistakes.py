"""What is wrong with a model is told at once, and whatever is said names its place."""

from collections.abc import Callable
from typing import Any

import pytest

import fairlead
from fairlead import Model, Policy


def test_everything_wrong_is_told_at_once() -> None:
    """Names, numbers, units and contradictions of clusters, workloads and policies in one error."""
    model = Model()
    model.add_cluster("berlin", allocatable={"cpu": "4x", "memory": -1})
    model.add_cluster("berlin", zones="a", allocated={"cpu": 1})
    policy = Policy(
        clusters=["berlim"],
        weights={"berlin": True},
        minimum=5,
        maximum={"berlin": 3},
        spread={"region": (3, 1)},
    )
    model.add_workload("a/b/c", -1, policy=policy, running={"berlin": 1.5})  # type: ignore[dict-item]
    model.add_workload("default/web", 1, policy=Policy(division="dynamic", weights={"berlin": 1}))
    model.add_workload("web", 1, policy=3, requests={"cpu": True})  # type: ignore[arg-type]
    with pytest.raises(fairlead.ManifestError) as caught:
        model.solve()
    told = {mistake.field: mistake.message.partition(";")[0] for mistake in caught.value.mistakes}
    replicas = "must be a whole number from 0 to 2147483647"
    groups = "the fewest groups are more than the most, or none is allowed"
    assert told == {
        "cluster berlin: allocatable[cpu]": "is not a quantity",
        "cluster berlin: allocatable[memory]": "must be at least 0",
        "cluster berlin: zones": "must be a list",
        "cluster berlin: allocated": "has no effect without allocatable",
        "cluster berlin: name": "is defined twice",
        "workload a/b/c: name": "must be a name, or a namespace, a slash and a name",
        "workload a/b/c: replicas": replicas,
        "workload a/b/c: running[berlin]": replicas,
        "workload a/b/c: policy.clusters": "is not a cluster of the model",
        "workload a/b/c: policy.weights[berlin]": replicas,
        "workload a/b/c: policy.minimum of berlin": "is above its maximum 3",
        "workload a/b/c: policy.spread[region]": groups,
        "workload default/web: policy.weights": "have no effect with division 'dynamic'",
        "workload web: name": "is defined twice",
        "workload web: policy": "must be a fairlead.Policy",
        "workload web: requests[cpu]": "is not a quantity",
    }
    assert "did you mean berlin?" in str(caught.value)
    assert all(mistake.source.line for mistake in caught.value.mistakes)


def test_rules_are_read_as_their_kinds() -> None:
    """What only the reader of manifests knows is wrong has the line of the program as well."""
    model = Model()
    model.add_cluster("m1")
    model.add_workload("web", 1)
    model.add_rule("GroupBound", {})
    with pytest.raises(fairlead.ManifestError, match=r"test_model_mistakes.py:\d+: kind: 'GroupBound'"):
        model.problem()


GARBAGE = (
    3,
    -1,
    float("nan"),
    "x",
    ["x"],
    [[1]],
    {"x": 1},
    {"m1": None},
    {1: 2},
    (1, 2, 3),
    b"x",
    {"m1"},
    object(),
)


@pytest.mark.parametrize(
    "field",
    ["zones", "labels", "taints", "allocatable", "requests", "running", "priority", "kind", "replicas"],
)
@pytest.mark.parametrize("value", GARBAGE, ids=lambda value: type(value).__name__)
def test_whatever_is_said_is_understood_or_a_mistake(field: str, value: Any) -> None:
    """No value makes the model fail in a way that names neither field nor line."""
    model = Model()
    model.add_cluster(
        "m1", **({field: value} if field in ("zones", "labels", "taints", "allocatable") else {})
    )
    rest = {
        "replicas": 1,
        **({field: value} if field in ("requests", "running", "priority", "kind", "replicas") else {}),
    }
    model.add_workload("web", **rest)
    _solved_or_refused(model)


@pytest.mark.parametrize(
    "field", ["clusters", "tiers", "division", "weights", "minimum", "maximum", "spread", "tolerations"]
)
@pytest.mark.parametrize("value", GARBAGE, ids=lambda value: type(value).__name__)
def test_whatever_a_policy_says_is_understood_or_a_mistake(field: str, value: Any) -> None:
    """The same for what policies say."""
    model = Model()
    model.add_cluster("m1")
    model.add_workload("web", 1, policy=Policy(**{field: value}))
    _solved_or_refused(model)


def _solved_or_refused(model: Model) -> None:
    """Solve a model; where it is refused, every mistake names its place."""
    try:
        outcome = model.solve()
    except fairlead.ManifestError as error:
        refused = [(one.field, one.source.line) for one in error.mistakes]
    else:
        refused = [(str(outcome.status), 1)]
    assert refused
    assert all(field and line for field, line in refused)


@pytest.mark.parametrize(
    "ask",
    [
        fairlead.solve,
        fairlead.plan,
        fairlead.compare,
        fairlead.dispense,
        lambda given: fairlead.simulate(given, fairlead.Drain("berlin")),
        lambda given: fairlead.why(given, "shop/web"),
        lambda given: fairlead.check(given, fairlead.Placement({})),
        lambda given: fairlead.score(given, fairlead.Placement({})),
    ],
)
@pytest.mark.parametrize("given", [fairlead.Model(), "fleet.yaml", None])
def test_what_is_no_problem_is_refused_in_words(ask: Callable[[Any], object], given: object) -> None:
    """A model and a path are what people try first; both have one call more to go."""
    with pytest.raises(
        fairlead.UsageError, match=r"is not a problem; fairlead.load and Model.problem\(\) return"
    ):
        ask(given)
