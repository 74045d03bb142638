"""Small objects and clusters for the tests of KubeAdmiral's dispenser."""

from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from fairlead.manifests.kubeadmiral.stated import StatedPolicy
from fairlead.manifests.kubeadmiral.stated import StatedPreferences as Preferred
from fairlead.models.cluster import Cluster
from fairlead.models.rules.bounds import Bound
from fairlead.solver.dispensers.kubeadmiral import schedule_unit
from fairlead.solver.dispensers.kubeadmiral.inputs import PlannerInput, PlannerPreferences, SchedulingUnit

NOW = datetime(2026, 1, 1, tzinfo=UTC)
API = ("apps/v1", "Deployment")
PARTS = ("minimum", "maximum", "weights", "priorities")


def unit(
    replicas: int | None = 10, current: Mapping[str, int | None] | None = None, **policy: Any
) -> SchedulingUnit:
    """Return the Deployment default/web, divided."""
    stated = {name: policy.pop(name) for name in PARTS if name in policy}
    listed = dict.fromkeys(policy.pop("cluster_names", ()))
    said = {name: {key: Bound(each) for key, each in found.items()} for name, found in stated.items()}
    rules = StatedPolicy(**{"divide": True, "placement": Preferred(listed, **said), **policy})
    return SchedulingUnit("default", "web", API, rules, replicas, current=current or {})


def cluster(name: str, free: str = "50", allocatable: str = "100", **others: Any) -> Cluster:
    """Return a joined and ready cluster of some cores."""
    offered, left = {"cpu": _millicores(allocatable)}, {"cpu": _millicores(free)}
    return Cluster(name, api_kinds=frozenset([API]), allocatable=offered, free=left, **others)


def _millicores(cores: str) -> int:
    """Return written cores in millicores."""
    return int(Fraction(cores) * 1000)


def equals(count: int) -> list[Cluster]:
    """Return equal clusters."""
    return [cluster(f"member{number:04d}") for number in range(count)]


def place(asked: SchedulingUnit, *clusters: Cluster) -> dict[str, int | None]:
    """Return the placement."""
    answer = schedule_unit(asked, clusters, NOW)
    assert answer.error is None
    return dict(answer.placement)


def ask(preferences: Mapping[str, PlannerPreferences], total: int, **others: Any) -> PlannerInput:
    """Return a question about clusters that are all available, for the workload default/web."""
    available = tuple(name for name in preferences if name != "*")
    return PlannerInput(preferences, total, others.pop("available", available), key="default/web", **others)
