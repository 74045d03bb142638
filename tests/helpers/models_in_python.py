"""Examples of the repository, said in Python."""

from typing import Any

from fairlead import Model, Policy


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
