"""Common parts of all API types: strict scalars, marks on fields, metadata, selectors, tolerations."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import cached_property
from itertools import repeat
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import orjson
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    Strict,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic.alias_generators import to_camel

from fairlead.models import cluster, selectors
from fairlead.models.quantity import parse_quantity

T = TypeVar("T")

INSTEAD = "instead"
"""Marks, in the context of an error, a missing field instead of which another one could stand."""


@dataclass(frozen=True, slots=True)
class Inert:
    """Mark of a field that cannot influence a placement."""

    why: str
    """Reason why it cannot, in words."""


class Api(BaseModel):
    """Parent of all API types: frozen, field names as in Kubernetes, unknown fields noticed."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid", defer_build=True
    )


class Open(Api):
    """Parent of API types of which only a part is read; the rest is passed through and never reported."""

    model_config = ConfigDict(extra="ignore")


class KnownValues(defaultdict[str, dict[Any, Any]]):
    """Values that were validated before, by kind and by how they read; the context of validation.

    Manifests of one input repeat themselves. What reads the same becomes one object, so it is validated once,
    and whoever looks at it can remember what came of it.
    """


def shared(kind: str, *, items: bool = False) -> WrapValidator:
    """Make values, or items of a list, that read the same one object, where `KnownValues` are given."""
    taken: Any = list if items else dict

    def validate(value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> object:
        if not isinstance(info.context, KnownValues) or not isinstance(value, taken):
            return handler(value)
        known, keys = info.context[kind], _readings(value if items else [value])
        found = tuple(map(known.get, keys))
        if not all(found):
            made = handler(value)
            found = tuple(map(known.setdefault, keys, made if items else (made,)))
        return found if items else found[0]

    return WrapValidator(validate)


def _readings(values: list[Any]) -> Sequence[str | bytes]:
    """Return how values read, each of which tells its type as well."""
    try:
        found = list(map(orjson.dumps, values, repeat(None), repeat(_AS_THEY_ARE)))
    except (TypeError, ValueError):  # what orjson does not write
        return list(map(repr, values))
    # As JSON "null" is also what is not a number.
    return list(map(repr, values)) if b"null" in b"".join(found) else found


_AS_THEY_ARE = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS


def _to_time(value: Any) -> datetime:
    """Read a time as Kubernetes writes it (RFC 3339); UTC where no zone is given."""
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError("must be a time such as 2026-01-31T15:04:05Z") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def to_signed_quantity(value: object, such_as: str = "-4Gi") -> Fraction:
    """Read a quantity that may be negative, exactly: an overcommitted cluster has less than nothing."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"must be a quantity such as 500m, 2 or {such_as}")  # noqa: TRY004 - pydantic collects ValueError
    return parse_quantity(value)


def _to_quantity(value: object) -> Fraction:
    quantity = to_signed_quantity(value, "4Gi")
    if quantity < 0:
        raise ValueError("must not be negative")
    return quantity


def _without_nulls(value: object) -> object:
    """Drop entries of a mapping that are null, as Kubernetes does."""
    if isinstance(value, Mapping) and None in value.values():
        return {key: item for key, item in value.items() if item is not None}
    return value


_LONGEST_NAME = 253


def _to_name(name: str) -> str:
    """Refuse what no object of Kubernetes can be called, of whatever kind."""
    if len(name) > _LONGEST_NAME:
        raise ValueError(f"must be at most {_LONGEST_NAME} characters long, and is {len(name)}")
    wrong = next((char for char in name if char in "/%" or char.isspace() or not char.isprintable()), None)
    if wrong is not None or name in (".", ".."):
        raise ValueError("must be a name: no slash, percent sign, blank or control character, not . or ..")
    return name


Text = Annotated[str, Strict()]
Filled = Annotated[str, Strict(), Field(min_length=1)]
Name = Annotated[str, Strict(), Field(min_length=1), AfterValidator(_to_name)]
Namespace = Annotated[str, Strict(), AfterValidator(_to_name)]
Boolean = Annotated[bool, Strict()]
Integer = Annotated[int, Strict(), Field(ge=-(2**63), le=2**63 - 1)]
Integer32 = Annotated[int, Strict(), Field(ge=-(2**31), le=2**31 - 1)]
Count = Annotated[int, Strict(), Field(ge=0, le=2**31 - 1)]
Weight = Annotated[int, Strict(), Field(ge=0, le=2**63 - 1)]
Time = Annotated[datetime, PlainValidator(_to_time)]
Quantity = Annotated[Fraction, PlainValidator(_to_quantity)]
Texts = Annotated[Mapping[str, Text], BeforeValidator(_without_nulls)]
ResourceList = Annotated[Mapping[str, Quantity], BeforeValidator(_without_nulls)]
Anything = Any


_BOOKKEEPING = Inert("bookkeeping of the API server")
OBSERVED = Inert("only describes")


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

    @model_validator(mode="before")
    @classmethod
    def _named(cls, data: Any) -> Any:
        """Let the beginning of a name stand for the name that is only made on creation."""
        if isinstance(data, dict) and data.get("name") is None and data.get("generateName"):
            return {**data, "name": data["generateName"]}
        return data


class Object(Api):
    """Fields that every manifest has."""

    api_version: Annotated[Text, Inert("decides how the manifest is read")]
    kind: Annotated[Text, Inert("decides how the manifest is read")]
    metadata: ObjectMeta

    namespaced: ClassVar[bool] = True
    """False for kinds that no namespace holds, beside those whose names begin with Cluster."""

    @property
    def cluster_scoped(self) -> bool:
        """Whether no namespace holds it, as a ClusterPropagationPolicy."""
        return not self.namespaced or self.kind.startswith("Cluster")

    @property
    def in_namespace(self) -> str:
        """Namespace of the object: ``default`` where it says none, empty where it is cluster-scoped."""
        return "" if self.cluster_scoped else self.metadata.namespace or "default"

    @property
    def place(self) -> tuple[str, str]:
        """Namespace and name of the object."""
        return self.in_namespace, self.metadata.name


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
            selectors.SelectorRequirement(one.key, one.operator, one.values) for one in self.match_expressions
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
        """The taints that are tolerated; for how long does not matter to a scheduler."""
        return cluster.Toleration(self.key, self.operator, self.value, self.effect)

    @property
    def is_known(self) -> bool:
        """Whether some taint can match: operator and effect are known, or left out."""
        return self.operator in ("", "Equal", "Exists") and self.effect in ("", *EFFECTS)


class Condition(Api):
    """One observed condition of an object."""

    type: Annotated[Text, OBSERVED]
    status: Annotated[Text, OBSERVED]
    reason: Annotated[Text | None, OBSERVED] = None
    message: Annotated[Text | None, OBSERVED] = None
    last_transition_time: Annotated[Time | None, OBSERVED] = None
    last_update_time: Annotated[Time | None, OBSERVED] = None
    last_probe_time: Annotated[Time | None, OBSERVED] = None
    observed_generation: Annotated[Integer | None, OBSERVED] = None
