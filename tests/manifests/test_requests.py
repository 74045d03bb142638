"""What one pod requests, as Kubernetes computes it."""

from typing import Any

import pytest

from builders import clusters, deployment, policy
from fairlead.manifests.loading import load
from loaded import only, texts


def container(
    cpu: str = "", *, limit: str = "", always: bool = False, others: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return a container that requests cpu and, other resources; `always` makes it a sidecar."""
    resources: dict[str, Any] = {"requests": {**({"cpu": cpu} if cpu else {}), **(others or {})}}
    if limit:
        resources["limits"] = {"cpu": limit}
    return {"name": "c", "resources": resources, **({"restartPolicy": "Always"} if always else {})}


SIDECAR = container("2", always=True)


@pytest.mark.parametrize(
    ("pod", "millicores"),
    [
        # Containers run at once.
        ({"containers": [container("1"), container("500m")]}, 1500),
        # A limit stands in for a missing request, and only for a missing one.
        ({"containers": [container(limit="2"), container("100m", limit="3")]}, 2100),
        # Init containers run one after another: the greatest counts if it is more than the containers.
        ({"containers": [container("1")], "initContainers": [container("3"), container("2")]}, 3000),
        ({"containers": [container("4")], "initContainers": [container("3")]}, 4000),
        # A sidecar runs beside the containers: 1 + 2.
        ({"containers": [container("1")], "initContainers": [SIDECAR]}, 3000),
        # What starts after a sidecar runs beside it: 2 + 3 is more than 1 + 2.
        (
            {"containers": [container("1")], "initContainers": [SIDECAR, container("3")]},
            5000,
        ),
        # What has ended before it does not: 3 against 1 + 2.
        (
            {"containers": [container("1")], "initContainers": [container("3"), SIDECAR]},
            3000,
        ),
        # The overhead comes on top.
        ({"containers": [container("1")], "overhead": {"cpu": "250m"}}, 1250),
        # Requests of the whole pod stand in for those of its containers; its limits only if these are silent.
        ({"containers": [container("1")], "resources": {"requests": {"cpu": 3}}}, 3000),
        ({"containers": [container("1")], "resources": {"limits": {"cpu": 3}}}, 1000),
        ({"containers": [container()], "resources": {"limits": {"cpu": 3}}}, 3000),
        # Parts of a millicore are added first and rounded up once.
        ({"containers": [container("100u"), container("100u")]}, 1),
        ({"containers": [container("0")]}, 0),
        ({}, 0),
    ],
)
def test_cpu_of_a_pod(pod: dict[str, Any], millicores: int) -> None:
    """Containers, init containers, sidecars, overhead, limits."""
    workload = only(load(clusters(1), deployment(pod=pod), policy()))
    assert dict(workload.requests) == ({"cpu": millicores} if millicores else {})


def test_every_resource_counts_for_itself() -> None:
    """The greatest init container may be another one for memory than for cpu."""
    more = {"memory": "1Gi", "nvidia.com/gpu": "1"}
    pod = {
        "containers": [container("1", others=more)],
        "initContainers": [container("2"), container(others={"memory": "3Gi"})],
    }
    workload = only(load(clusters(1), deployment(pod=pod), policy()))
    assert workload.requests == {"cpu": 2000, "memory": 3 * 2**30, "nvidia.com/gpu": 1}


def test_unknown_fields_of_a_pod_are_passed_through() -> None:
    """Only what a pod needs is read; the rest is none of our business."""
    pod = {
        "containers": [{"name": "c", "image": "i", "anything": 1}],
        "volumes": [],
        "hostNetwork": True,
        "new": {},
    }
    assert not load(clusters(1), deployment(pod=pod), policy()).warnings


@pytest.mark.parametrize(
    ("memory", "told"),
    # 256m are 0.256 bytes, rounded up; 1023 is the most that is doubted, 1Ki the least that is not.
    [("256m", "1 byte"), ("256", "256 bytes"), ("1023", "1023 bytes"), ("1Ki", ""), ("0", "")],
)
def test_memory_below_a_kibibyte_is_doubted(memory: str, told: str) -> None:
    """Nobody requests that: the unit is missing or wrong."""
    pod = {"containers": [container("1", others={"memory": memory})]}
    problem = load(clusters(1), deployment("web", 1, pod=pod), policy("p"))
    doubt = f"default/web requests {told} of memory per replica; did you mean Mi or Gi? (<dict>)"
    assert texts(problem, "requests") == ([doubt] if told else [])
