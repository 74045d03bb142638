"""What few inputs hold, read by code that is imported where one does: most have Karmada's kinds alone."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fairlead.manifests.collect import Manifests, is_marked
from fairlead.manifests.extensions import Extensions
from fairlead.manifests.join import Subject
from fairlead.manifests.own.extended import Extended
from fairlead.models.cluster import Cluster
from fairlead.models.errors import Mistake
from fairlead.models.levels import DEFAULT_ORDER, Deviation
from fairlead.models.statement import Statement
from fairlead.models.workload import Workload

if TYPE_CHECKING:
    from fairlead.manifests.kubeadmiral.scheduling import Federation, Placed


def contradictions(manifests: Manifests, subjects: Sequence[Subject]) -> Iterable[Mistake]:
    """List manifests of our own kinds of which there may be one only."""
    if not manifests.own:
        return ()
    from fairlead.manifests.own import extend

    return extend.contradictions(manifests.own, subjects)


def federation_of(manifests: Manifests, clusters: Sequence[Cluster]) -> "Federation | None":
    """Return KubeAdmiral's part of the input; None where it can have none."""
    if not manifests.federated and not any(map(is_marked, manifests.workloads)):
        return None
    from fairlead.manifests.kubeadmiral.scheduling import Federation

    return Federation.of(manifests.federation_policies, clusters)


def placed_by(federation: "Federation | None", subjects: Iterable[tuple[Subject, str]]) -> "Iterable[Placed]":
    """Return what became of the subjects that KubeAdmiral places, each with its key."""
    return () if federation is None else (federation.place(subject, key) for subject, key in subjects)


def overridden(
    manifests: Manifests, workloads: Sequence[Workload], clusters: Sequence[Cluster]
) -> Iterable[Statement]:
    """Say which policies write another number of replicas than is placed."""
    policies = (manifests.overrides, manifests.federated_overrides)
    if not any(policies):
        return ()
    from fairlead.manifests.overridden import replica_overrides

    return replica_overrides(*policies, workloads, clusters)


def extended(
    manifests: Manifests, clusters: Sequence[Cluster], workloads: Sequence[Workload], extensions: Extensions
) -> Extended:
    """Add to workloads what our own kinds say of them."""
    if not manifests.own:
        return Extended(tuple(workloads), (), DEFAULT_ORDER, Deviation.WEBSTER, {}, (), ())
    from fairlead.manifests.own import extend

    return extend.extend(manifests.own, clusters, workloads, extensions)
