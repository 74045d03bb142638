"""Metadata and selectors that every kind shares (meta/v1, core/v1)."""

from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from fairlead.manifests.api.base import (
    Anything,
    Api,
    Filled,
    Inert,
    Integer,
    Name,
    Namespace,
    Text,
    Texts,
    Time,
)
from fairlead.models import cluster, selectors

_BOOKKEEPING = Inert("bookkeeping of the API server")
_OBSERVED = Inert("only describes")


class ObjectMeta(Api):
    """Metadata of an object."""

    name: Name
    namespace: Namespace = ""
    labels: Texts = Field(default_factory=dict)
    annotations: Texts = Field(default_factory=dict)
    annotation: Text = ""  # as the proposal of specified replicas prints it, with JSON inside
    deletion_timestamp: Time | None = None
    creation_timestamp: Time | None = None
    deletion_grace_period_seconds: Annotated[Integer | None, _BOOKKEEPING] = None
    generate_name: Annotated[Text | None, _BOOKKEEPING] = None
    generation: Annotated[Integer | None, _BOOKKEEPING] = None
    resource_version: Annotated[Text | None, _BOOKKEEPING] = None
    self_link: Annotated[Text | None, _BOOKKEEPING] = None
    uid: Annotated[Text | None, _BOOKKEEPING] = None
    finalizers: Annotated[Anything, _BOOKKEEPING] = None
    managed_fields: Annotated[Anything, _BOOKKEEPING] = None
    owner_references: Annotated[Anything, _BOOKKEEPING] = None


class Object(Api):
    """What every manifest has."""

    api_version: Annotated[Text, Inert("decides how the manifest is read")]
    kind: Annotated[Text, Inert("decides how the manifest is read")]
    metadata: ObjectMeta


class LabelSelectorRequirement(Api):
    """One expression of a label selector."""

    key: Filled
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    values: tuple[Text, ...] = ()


class LabelSelector(Api):
    """A query over labels; everything must hold, an empty one matches everything."""

    match_labels: Texts = Field(default_factory=dict)
    match_expressions: tuple[LabelSelectorRequirement, ...] = ()

    @cached_property
    def selector(self) -> selectors.LabelSelector:
        """The selector that matches labels."""
        expressions = (
            selectors.Requirement(one.key, one.operator, one.values) for one in self.match_expressions
        )
        return selectors.LabelSelector.of(self.match_labels, expressions)


EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
"""Effects that taints have."""


class Toleration(Api):
    """A taint that is put up with.

    The API servers take any operator and any effect; one that is not known matches no taint.
    """

    key: Text = ""
    operator: Text = ""
    value: Text = ""
    effect: Text = ""
    toleration_seconds: Annotated[Integer | None, Inert("the scheduler does not wait")] = None

    @cached_property
    def toleration(self) -> cluster.Toleration:
        """What taints are put up with; for how long does not matter to a scheduler."""
        return cluster.Toleration(self.key, self.operator, self.value, self.effect)

    @property
    def is_known(self) -> bool:
        """Whether some taint can match: operator and effect are known, or left out."""
        return self.operator in ("", "Equal", "Exists") and self.effect in ("", *EFFECTS)


class Condition(Api):
    """One observed condition of an object."""

    type: Annotated[Text, _OBSERVED]
    status: Annotated[Text, _OBSERVED]
    reason: Annotated[Text | None, _OBSERVED] = None
    message: Annotated[Text | None, _OBSERVED] = None
    last_transition_time: Annotated[Time | None, _OBSERVED] = None
    last_update_time: Annotated[Time | None, _OBSERVED] = None
    last_probe_time: Annotated[Time | None, _OBSERVED] = None
    observed_generation: Annotated[Integer | None, _OBSERVED] = None
