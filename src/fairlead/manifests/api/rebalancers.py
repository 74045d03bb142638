"""WorkloadRebalancer of Karmada (apps.karmada.io/v1alpha1): workloads that are to be placed afresh."""

from typing import Annotated

from fairlead.manifests.api.base import Anything, Api, Count, Filled, Inert, Text
from fairlead.manifests.api.meta import Object


class ObjectReference(Api):
    """A workload that is to be placed afresh; without a namespace it is cluster-scoped."""

    api_version: Filled
    kind: Filled
    name: Filled
    namespace: Text = ""


class WorkloadRebalancerSpec(Api):
    """Which workloads are to be placed afresh."""

    workloads: tuple[ObjectReference, ...] = ()
    ttl_seconds_after_finished: Annotated[Count | None, Inert("when the object itself is removed")] = None


class WorkloadRebalancer(Object):
    """Asks once, when it is created, for a fresh placement of some workloads."""

    spec: WorkloadRebalancerSpec
    status: Annotated[Anything, Inert("the time of its creation says whether it has been heard")] = None
