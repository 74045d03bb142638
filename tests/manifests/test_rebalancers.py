"""WorkloadRebalancers: which workloads are placed afresh."""

import pytest

from builders import Manifest, binding, cluster, deployment, dynamic, policy
from fairlead.manifests.loading import load
from loaded import mistake, only, texts

EARLIER, LATER = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


def rebalancer(
    *names: str,
    created: str | None = LATER,
    name: str = "again",
    kind: str = "Deployment",
    namespace: str = "default",
) -> Manifest:
    """Return a WorkloadRebalancer of some deployments."""
    metadata = {"name": name, **({"creationTimestamp": created} if created else {})}
    workloads = [
        {"apiVersion": "apps/v1", "kind": kind, "namespace": namespace, "name": each} for each in names
    ]
    return {
        "apiVersion": "apps.karmada.io/v1alpha1",
        "kind": "WorkloadRebalancer",
        "metadata": metadata,
        "spec": {"workloads": workloads, "ttlSecondsAfterFinished": 60},
        "status": {"finishTime": LATER, "observedGeneration": 1},
    }


@pytest.mark.parametrize(
    ("created", "scheduled", "fresh"),
    [
        (LATER, EARLIER, True),
        (EARLIER, LATER, False),
        (EARLIER, EARLIER, False),
        # Never scheduled, or not yet created: it is still to be heard.
        (EARLIER, None, True),
        (None, LATER, True),
    ],
)
def test_a_rebalancer_counts_after_the_last_schedule(
    created: str | None, scheduled: str | None, fresh: bool
) -> None:
    """It is heard once; what the controller made of it stands in the binding."""
    status = {"lastScheduledTime": scheduled} if scheduled else {}
    held = binding("web", 3, {"a": 3}, dynamic(), cpu=1, status=status)
    problem = load(cluster("a", cpu=9), held, rebalancer("web", created=created))
    assert only(problem).fresh is fresh
    assert problem.warnings == ()


def test_the_latest_of_several_rebalancers_counts() -> None:
    """Whatever their order."""
    held = binding("web", 3, {"a": 3}, dynamic(), cpu=1, status={"lastScheduledTime": EARLIER})
    both = [rebalancer("web", created=created, name=created[:10].lower()) for created in (LATER, EARLIER)]
    for order in (both, both[::-1]):
        assert only(load(cluster("a", cpu=9), held, order)).fresh


def test_only_named_workloads_are_placed_afresh() -> None:
    """By group, kind, namespace and name; a template without binding has never been scheduled."""
    problem = load(cluster("a", cpu=9), deployment("one"), deployment("two"), policy("p"), rebalancer("one"))
    assert [(each.name, each.fresh) for each in problem.workloads] == [("one", True), ("two", False)]


@pytest.mark.parametrize(
    ("named", "told"),
    [
        (rebalancer("web", "nobody"), "Deployment default/nobody"),
        (rebalancer("web", kind="StatefulSet"), "StatefulSet default/web"),
        (rebalancer("web", namespace="other"), "Deployment other/web"),
    ],
)
def test_workloads_that_are_not_there_are_named(named: Manifest, told: str) -> None:
    """A misspelt reference does not go unnoticed."""
    problem = load(cluster("a", cpu=9), binding("web", 3, {}, dynamic(), cpu=1), named)
    assert texts(problem, "rebalancer") == [f"again rebalances {told}, which is not in the input (<dict>)"]


def test_a_rebalancer_is_a_manifest_like_any_other() -> None:
    """Duplicates, missing fields and unknown fields are found."""
    expected = (
        "metadata.name: 'again' is the name of two WorkloadRebalancer objects; the first one is at <dict>"
    )
    assert mistake(rebalancer("web"), rebalancer("web")) == expected
    broken = rebalancer("web")
    del broken["spec"]["workloads"][0]["kind"]
    assert mistake(broken) == "spec.workloads[0].kind: is required and missing"
