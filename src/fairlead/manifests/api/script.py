"""A script of dated events on a fleet (fairlead.io/v1alpha1): what `fairlead simulate --script` plays."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from fairlead.manifests.api.meta import Api, Count, Filled, Object, Text, Time
from fairlead.manifests.api.own_values import Amount

Moment = Annotated[Time, WithJsonSchema({"type": "string", "format": "date-time"})]
Selected = Annotated[
    tuple[Filled, ...],
    Field(description="Names of clusters; region=R, zone=Z, provider=P or LABEL=VALUE mean all of them."),
]


def _to_manifest(value: object) -> object:
    if not (isinstance(value, dict) and value.get("apiVersion") and value.get("kind")):
        raise ValueError("must be a manifest with apiVersion, kind and metadata")
    return value


Manifest = Annotated[Mapping[str, Any], BeforeValidator(_to_manifest)]


class Reference(Api):
    """An existing object."""

    kind: Filled
    """Kind of the object, such as Deployment."""
    name: Filled
    """Name of the object."""
    namespace: Text = ""
    """Namespace of the object; none for a cluster-scoped object."""


class EventSpec(Api):
    """An event; its parts are applied in the order in which they are listed here."""

    at: Moment
    """Time of the event, such as 2026-03-02T09:30:00Z; not before that of the event above."""
    name: Text = ""
    """Name of the event, shown in results only."""
    apply: tuple[Manifest, ...] = ()
    """Manifests that are new, or replace those of the same kind and name."""
    delete: tuple[Reference, ...] = ()
    """Objects that are removed."""
    restore: Selected = ()
    """Clusters that are back and open again."""
    autoscalers: Literal["min", "max"] | None = None
    """Every workload with an autoscaler is scaled to its minimum or maximum."""
    scale: Mapping[str, Count] = Field(default_factory=dict)
    """Replicas of workloads from now on, by NAMESPACE/NAME."""
    cordon: Selected = ()
    """Clusters that take nothing new until restored."""
    drain: Selected = ()
    """Clusters that are emptied until restored."""
    lose: Selected = ()
    """Clusters that are gone until restored."""
    rebalance: Amount | None = None
    """Replicas that a plan may move now: a number, or a percentage of what runs, such as "2%"."""


class ScriptSpec(Api):
    """The events, and until when the last state counts."""

    events: Annotated[tuple[EventSpec, ...], Field(min_length=1)]
    """At least one, in order of time."""
    end: Moment | None = None
    """Until when the last state counts; default: one hour after the last event."""


class Script(Object):
    """Dated events on a fleet."""

    spec: ScriptSpec
    """The events."""
