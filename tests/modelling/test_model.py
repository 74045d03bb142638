"""Models made in Python mean what manifests mean."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import fairlead
from fairlead import Model, Policy
from fairlead.models.problem import Problem
from fairlead.models.source import Source
from models_in_python import aggregated, duplicated, overflow, prices, scale_up, spread, three_regions
from places import EXAMPLES


def _bare(value: Any) -> Any:
    """Return a value without the places where it was written; all that counts in comparisons is left."""
    if isinstance(value, Source):
        return None
    if isinstance(value, Mapping):
        return {key: _bare(item) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        kept = {one.name: _bare(getattr(value, one.name)) for one in fields(value) if one.compare}
        return (type(value).__name__, kept)
    return [_bare(item) for item in value] if isinstance(value, tuple | list) else value


def _meaning(problem: Problem) -> Any:
    """Return what a problem means: nothing of where it was written, nor of what its policies are called."""
    workloads = tuple(replace(one, policy="") for one in problem.workloads)
    return _bare(replace(problem, workloads=workloads, warnings=()))


@pytest.mark.parametrize(
    "make",
    [three_regions, scale_up, overflow, spread, aggregated, duplicated, prices],
    ids=lambda it: it.__name__,
)
def test_model_means_what_the_manifests_mean(make: Callable[[], Model]) -> None:
    """The example of the same name, said in Python, gives the same problem and no warning."""
    problem = make().problem()
    assert _meaning(problem) == _meaning(fairlead.load(EXAMPLES / make.__name__.replace("_", "-")))
    assert not problem.warnings


def test_model_is_solved() -> None:
    """The numbers are those of the README."""
    outcome = three_regions().solve()
    assert outcome.status == "Optimal"
    assert [*outcome.placement["retail/shop"].values()] == [5, 9, 8, 4, 4] if outcome.placement else False


def test_order_does_not_matter() -> None:
    """Three clusters and two workloads, said forwards and backwards."""

    def made(step: int) -> Problem:
        model = Model()
        for number in (1, 2, 3)[::step]:
            model.add_cluster(f"m{number}", allocatable={"cpu": number})
        for name in ("a", "b")[::step]:
            model.add_workload(
                name, 4, policy=Policy(clusters=["m1", "m3"][::step]), requests={"cpu": "100m"}
            )
        return model.problem()

    assert _bare(made(1)) == _bare(made(-1))


def test_taints_running_and_fresh() -> None:
    """m2 repels what does not tolerate it; only the workload that is to be placed anew leaves m1."""
    model = Model()
    model.add_cluster("m1", allocatable={"cpu": 4})
    model.add_cluster("m2", allocatable={"cpu": 4}, taints=[fairlead.Taint("gpu", "", "NoSchedule")])
    tolerating = Policy(division="dynamic", tolerations=[fairlead.Toleration("gpu", "Exists")])
    requests, running = {"cpu": "1"}, {"m1": 2}
    model.add_workload("kept", 2, policy=tolerating, requests=requests, running=running)
    model.add_workload("moved", 2, policy=tolerating, requests=requests, running=running, fresh=True)
    model.add_workload("repelled", 2, policy=Policy(weights={"m1": 1}), requests={"cpu": "500m"}, priority=7)
    placement = model.solve().placement
    assert placement is not None
    # With the last one 3 of m1 are used; the two that may move fill m2 to 2 rather than m1 to 4 (balance).
    assert placement.to_dict() == {
        "default/kept": {"m1": 2},
        "default/moved": {"m2": 2},
        "default/repelled": {"m1": 2},
    }
    assert model.problem().workload("default/repelled").priority == 7


def test_what_was_said_stays_said() -> None:
    """A mapping that is filled anew for the next call, as in a loop, does not change the one before."""
    model, amounts, weights = Model(), {"cpu": 1}, {"m0": 1}
    model.add_cluster("m0", allocatable=amounts)
    model.add_workload("web", 1, requests=amounts, policy=Policy(weights=weights))
    amounts["cpu"], weights["m1"] = 2, 1
    model.add_cluster("m1", allocatable=amounts)
    problem = model.problem()
    assert [one.allocatable for one in problem.clusters] == [{"cpu": 1000}, {"cpu": 2000}]
    assert problem.workloads[0].requests == {"cpu": 1000}
    assert problem.candidates(problem.workloads[0]) == ("m0",)


def test_conflicts_name_the_line_of_the_program() -> None:
    """A minimum of 5 where 4 fit: the two calls that contradict each other."""
    model = Model()
    first = _line_of("m1")
    model.add_cluster("m1", allocatable={"cpu": 4})
    model.add_workload("web", 5, policy=Policy(minimum={"m1": 5}), requests={"cpu": 1})
    conflict = model.solve().conflict
    assert conflict is not None
    found = {(Path(one.source.file).name, one.source.line) for one in conflict.rules if one.source}
    assert found == {("test_model.py", first), ("test_model.py", first + 1)}


def _line_of(cluster: str) -> int:
    """Return the line on which this test adds a cluster to conflict with."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if "first = _line_of" in line)
    return next(n for n, line in enumerate(lines[start:], start + 1) if f'add_cluster("{cluster}"' in line)


def test_a_cluster_that_joins_is_open() -> None:
    """m1 has capacity for 4 of 4 replicas, and m2 for 6: what runs stays, and the rest evens it out."""
    model = Model()
    model.add_cluster("m1", allocatable={"cpu": 4}, allocated={"cpu": 2})
    dynamic = Policy(division="dynamic")
    model.add_workload("web", 4, requests={"cpu": 1}, running={"m1": 2}, policy=dynamic)
    before = model.problem()
    model.add_cluster("m2", allocatable={"cpu": 6})
    simulation = fairlead.simulate(before, fairlead.Add(model.problem()))
    assert simulation.before.placement is not None
    assert simulation.before.placement["default/web"] == {"m1": 4}
    assert simulation.after.placement is not None
    assert simulation.after.placement["default/web"] == {"m1": 2, "m2": 2}


def test_dispensers_and_patches_know_what_was_said() -> None:
    """A binding is compared and patched under the name that Karmada gives it."""
    problem = scale_up().problem()
    assert {one.outcome.origin for one in fairlead.compare(problem, ["karmada"]).contenders} == {"karmada"}
    patch = fairlead.solve(problem).to_manifests()[0]
    assert patch["metadata"]["name"] == "api-deployment"
    assert {one["name"]: one["replicas"] for one in patch["spec"]["clusters"]} == {
        "berlin": 8,
        "dresden": 10,
        "frankfurt": 2,
    }
