"""Models made in Python: they mean what manifests mean, and all that is wrong is told at once."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import fairlead
from fairlead import Model, Policy
from fairlead.models.problem import Problem
from fairlead.models.source import Source
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


def three_regions() -> Model:
    """Five clusters in three regions: static weights, a minimum everywhere and a maximum on one of them."""
    model = Model()
    for name, provider, zones, tier, has, taken in (
        (
            "eu-west-1",
            "aws",
            ["eu-west-1a", "eu-west-1b"],
            "gold",
            (96, "384Gi", 330),
            ("61500m", "240Gi", 187),
        ),
        ("eu-west-2", "gcp", ["europe-west1-b"], "silver", (64, "256Gi", 220), ("60", "200Gi", 151)),
        ("us-east-1", "aws", ["us-east-1a"], "gold", (128, "512Gi", 440), (77.2, "300Gi", 260)),
        ("us-east-2", "azure", ["eastus-1"], "gold", (48, "192Gi", 160), (30, "96Gi", 88)),
        ("ap-south-1", "aws", ["ap-south-1a"], "silver", (32, "128Gi", 110), (12.5, "40Gi", 37)),
    ):
        names = ("cpu", "memory", "pods")
        model.add_cluster(
            name,
            provider=provider,
            region=name[:-2],
            zones=zones,
            labels={"tier": tier},
            allocatable=dict(zip(names, has, strict=True)),
            allocated=dict(zip(names, taken, strict=True)),
        )
    weights = {"eu-west-1": 2, "eu-west-2": 2, "us-east-1": 1, "us-east-2": 1, "ap-south-1": 1}
    model.add_workload(
        "retail/shop",
        30,
        policy=Policy(weights=weights, minimum=2, maximum={"ap-south-1": 8}),
        requests={"cpu": "500m", "memory": "1Gi"},
        labels={"app": "shop"},
    )
    return model


def scale_up() -> Model:
    """Three clusters with dynamic weights, which keep what runs."""
    model = Model()
    for name, provider, region, cpu, memory, pods in (
        ("berlin", "onprem", "eu-central", (40, 32), (160, 96), (220, 140)),
        ("dresden", "onprem", "eu-central", (40, 22), (160, 60), (220, 90)),
        ("frankfurt", "gcp", "europe-west3", (24, 20), (96, 44), (110, 63)),
    ):
        model.add_cluster(
            name,
            provider=provider,
            region=region,
            allocatable={"cpu": cpu[0], "memory": f"{memory[0]}Gi", "pods": pods[0]},
            allocated={"cpu": cpu[1], "memory": f"{memory[1]}Gi", "pods": pods[1]},
        )
    model.add_workload(
        "prod/api",
        20,
        policy=Policy(division="dynamic"),
        requests={"cpu": 1, "memory": "2Gi"},
        running={"berlin": 8, "dresden": 3, "frankfurt": 1},
    )
    return model


def overflow() -> Model:
    """Two tiers."""
    model, gpu = Model(), "nvidia.com/gpu"
    model.add_cluster("home", provider="own", region="de", allocatable={"cpu": 96, gpu: 8, "pods": 220})
    east = {"cpu": "64", gpu: "8", "pods": "110"}
    model.add_cluster("cloud-east", provider="cloud", region="us-east", allocatable=east)
    west, taken = {"cpu": 64, gpu: 16, "pods": 110}, {"cpu": 20, gpu: 12, "pods": 12}
    model.add_cluster("cloud-west", provider="cloud", region="us-west", allocatable=west, allocated=taken)
    policy = Policy(tiers=[["home"], {"cloud-east", "cloud-west"}], division="dynamic")
    model.add_workload("ml/inference", 14, policy=policy, requests={"cpu": 4, gpu: 1})
    return model


def spread() -> Model:
    """Spread over regions, zones and clusters, and minima where the solver chooses."""
    model, offered = Model(), {"cpu": 40, "pods": 220}
    for name, provider, region, zones in (
        ("madrid", "gcp", "eu-southwest", "a"),
        ("paris-1", "gcp", "eu-west", "ab"),
        ("paris-2", "gcp", "eu-west", "c"),
        ("rome", "aws", "eu-south", "d"),
        ("lab", "own", "", ""),
    ):
        model.add_cluster(name, provider=provider, region=region, zones=[*zones], allocatable=offered)
    policy = Policy(
        weights={"paris-1": 2, "paris-2": 2, "madrid": 1, "rome": 1, "lab": 1},
        minimum=2,
        spread={"region": (2, 2), "zone": 3, "cluster": 3},
    )
    model.add_workload("shop/front", 12, policy=policy, requests={"cpu": "500m"})
    return model


def aggregated() -> Model:
    """Make a job on few clusters."""
    model = Model()
    for name, cpu, taken in (("rack-1", 32, 20), ("rack-2", 32, 4), ("rack-3", 16, 4), ("rack-4", 32, 12)):
        free = {"rack-1": (64, 31), "rack-2": (16, 12), "rack-3": (16, 7), "rack-4": (16, 12)}[name]
        model.add_cluster(
            name,
            provider="own",
            region="de",
            allocatable={"cpu": cpu, "memory": f"{4 * cpu}Gi", "pods": 110},
            allocated={"cpu": taken, "memory": f"{free[0]}Gi", "pods": free[1]},
        )
    policy, requests = Policy(division="aggregated"), {"cpu": "4", "memory": "8Gi"}
    model.add_workload(
        "batch/nightly", 10, policy=policy, requests=requests, api_version="batch/v1", kind="Job"
    )
    return model


def duplicated() -> Model:
    """Make a full copy on two of three clusters."""
    model = Model()
    for place, role, cpu, memory, pods in (
        ("hamburg", "edge", (8, 5), (16, 9), (60, 31)),
        ("munich", "edge", (8, 6.5), (16, 12), (60, 40)),
        ("frankfurt", "core", (64, 20), (256, 64), (250, 90)),
    ):
        model.add_cluster(
            f"{role}-{place}",
            region=place,
            labels={"role": role},
            allocatable={"cpu": cpu[0], "memory": f"{memory[0]}Gi", "pods": pods[0]},
            allocated={"cpu": cpu[1], "memory": f"{memory[1]}Gi", "pods": pods[1]},
        )
    policy = Policy(clusters=["edge-munich", "edge-hamburg"], division="duplicated")
    model.add_workload("infra/dns-cache", 3, policy=policy, requests={"cpu": 0.25, "memory": "256Mi"})
    return model


def prices() -> Model:
    """Make a price list and bounds on a group, in fairlead's own kinds."""
    model = Model()
    for name, region, cpu, memory, pods in (
        ("cloud-a", "us", 64, 256, 400),
        ("cloud-b", "eu", 64, 256, 400),
        ("owned", "eu", 10, 64, 110),
    ):
        model.add_cluster(
            name,
            provider=name,
            region=region,
            allocatable={"cpu": cpu, "memory": f"{memory}Gi", "pods": pods},
        )
    model.add_workload("shop/api", 20, requests={"cpu": 1, "memory": "2Gi"}, labels={"app": "api"})
    per_resource = {"cpu": "0.02", "memory": "0.004"}
    costs: list[dict[str, Any]] = [
        {"targetCluster": {"clusterNames": ["owned"]}, "pricePerReplica": "0"},
        {"targetCluster": {"clusterNames": ["cloud-a"]}, "perResource": per_resource},
        {"pricePerReplica": "0.05"},
    ]
    model.add_rule("PriceList", {"currency": "EUR/h", "prices": costs})
    outside = {"matchExpressions": [{"key": "region", "operator": "NotIn", "values": ["eu"]}]}
    group = {"name": "outside of Europe", "targetCluster": {"fieldSelector": outside}, "maxReplicas": 6}
    model.add_rule("GroupBounds", {"groups": [group]})
    return model


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
        "cluster berlin: allocated": "says nothing without allocatable",
        "cluster berlin: name": "is there twice",
        "workload a/b/c: name": "must be a name, or a namespace, a slash and a name",
        "workload a/b/c: replicas": replicas,
        "workload a/b/c: running[berlin]": replicas,
        "workload a/b/c: policy.clusters": "is not a cluster of the model",
        "workload a/b/c: policy.weights[berlin]": replicas,
        "workload a/b/c: policy.minimum of berlin": "is above its maximum 3",
        "workload a/b/c: policy.spread[region]": groups,
        "workload default/web: policy.weights": "have no effect with division 'dynamic'",
        "workload web: name": "is there twice",
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
    with pytest.raises(fairlead.ManifestError, match=r"test_model.py:\d+: kind: 'GroupBound'"):
        model.problem()


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
