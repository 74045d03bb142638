"""Overrides of manifests in some clusters: override policies of Karmada and of KubeAdmiral."""

from typing import Annotated, Literal

from pydantic import Field

from fairlead.manifests.api.kubeadmiral import Terms
from fairlead.manifests.api.meta import OBSERVED, Anything, Api, Filled, Inert, Object, Text, Texts
from fairlead.manifests.api.policies import ClusterAffinity
from fairlead.manifests.api.propagation import ResourceSelector

_NO_NUMBER = Inert("changes no number of replicas")


class PlaintextOverrider(Api):
    """One field that is written differently."""

    path: Filled
    operator: Literal["add", "remove", "replace"]
    value: Anything = None


class Overriders(Api):
    """All fields that are written differently."""

    plaintext: tuple[PlaintextOverrider, ...] = ()
    image_overrider: Annotated[Anything, _NO_NUMBER] = None
    command_overrider: Annotated[Anything, _NO_NUMBER] = None
    args_overrider: Annotated[Anything, _NO_NUMBER] = None
    labels_overrider: Annotated[Anything, _NO_NUMBER] = None
    annotations_overrider: Annotated[Anything, _NO_NUMBER] = None
    field_overrider: Annotated[Anything, _NO_NUMBER] = None


class OverrideRule(Api):
    """Fields that are written differently in a set of clusters; without a set, in all."""

    target_cluster: ClusterAffinity | None = None
    overriders: Overriders = Field(default_factory=Overriders)


class OverrideSpec(Api):
    """Which resources are written differently where; without selectors, all."""

    resource_selectors: tuple[ResourceSelector, ...] = ()
    override_rules: tuple[OverrideRule, ...] = ()
    target_cluster: ClusterAffinity | None = None
    overriders: Overriders | None = None


class OverridePolicy(Object):
    """Overrides of some resources of its namespace, or of all, in some clusters (Karmada)."""

    spec: OverrideSpec


class TargetClusters(Api):
    """A set of clusters; everything must hold, and what is empty holds for all."""

    clusters: tuple[Text, ...] = ()
    cluster_selector: Texts = Field(default_factory=dict)
    cluster_affinity: Terms = ()


class JsonPatchOverrider(Api):
    """One field that is written differently."""

    path: Filled
    operator: Literal["", "add", "remove", "replace"] = ""
    value: Anything = None


class FederatedOverriders(Api):
    """All fields that are written differently."""

    jsonpatch: tuple[JsonPatchOverrider, ...] = ()
    image: Annotated[Anything, _NO_NUMBER] = None
    command: Annotated[Anything, _NO_NUMBER] = None
    args: Annotated[Anything, _NO_NUMBER] = None
    envs: Annotated[Anything, _NO_NUMBER] = None
    labels: Annotated[Anything, _NO_NUMBER] = None
    annotations: Annotated[Anything, _NO_NUMBER] = None


class FederatedOverrideRule(Api):
    """Fields that are written differently in a set of clusters; without a set, in all."""

    target_clusters: TargetClusters | None = None
    overriders: FederatedOverriders = Field(default_factory=FederatedOverriders)


class FederatedOverrideSpec(Api):
    """Fields that are written differently, by set of clusters."""

    override_rules: tuple[FederatedOverrideRule, ...] = ()


class FederatedOverridePolicy(Object):
    """Overrides of the workloads that name it in a label (KubeAdmiral)."""

    spec: FederatedOverrideSpec
    status: Annotated[Anything, OBSERVED] = None
