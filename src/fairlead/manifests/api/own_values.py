"""Values in kinds of our own: numbers of all sorts, and sets of workloads and clusters."""

import re
from decimal import Decimal
from fractions import Fraction
from typing import Annotated

from pydantic import AfterValidator, Field, PlainValidator, WithJsonSchema

from fairlead.manifests.api.meta import Api, Filled, LabelSelector, Text
from fairlead.manifests.api.policies import ClusterSet as KarmadaSet
from fairlead.manifests.api.policies import FieldSelector
from fairlead.models.cluster import FIELDS
from fairlead.models.levels import tolerance_of

_PRICE = re.compile(r"[0-9]{1,18}(\.[0-9]{1,18})?")
_PRICE_ALLOWED = 'must be a decimal number, at least 0, such as "0.031"'
_PERCENT = re.compile(r"([0-9]{1,3})%")
_PERCENT_ALLOWED = 'must be a percentage from 0% to 100%, such as "50%"'
_RATE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,18})?)%")
_RATE_ALLOWED = 'must be a percentage from 0% to 100%, such as "0.1%"'
_TOLERANCE_ALLOWED = 'must be a number of at least 0, or a share such as "0.1%", of 18 digits at most'
_AMOUNT = re.compile(r"([0-9]{1,9})%")
_AMOUNT_ALLOWED = 'must be a number of replicas, at least 0, or a percentage such as "10%"'


def _to_price(value: object) -> Fraction:
    """Read a price, exactly; a number without quotes stands for its shortest decimal."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(_PRICE_ALLOWED)  # noqa: TRY004 - pydantic collects ValueError
    text = value if isinstance(value, str) else format(Decimal(str(value)), "f")
    if not _PRICE.fullmatch(text):
        raise ValueError(_PRICE_ALLOWED)
    return Fraction(text)


def _to_percent(value: object) -> int:
    """Read a percentage: a text such as ``50%``, or the whole number alone."""
    match = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    percent = int(match[1]) if match else value
    if isinstance(percent, bool) or not isinstance(percent, int) or not 0 <= percent <= 100:
        raise ValueError(_PERCENT_ALLOWED)
    return percent


def _to_amount(value: object) -> int | str:
    percent = isinstance(value, str) and _AMOUNT.fullmatch(value)
    number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
    if not percent and not number:
        raise ValueError(_AMOUNT_ALLOWED)
    return value  # type: ignore[return-value]


def _to_tolerance(value: object) -> int | float | str:
    number = isinstance(value, int | float | str) and not isinstance(value, bool)
    if not number or tolerance_of(value) is None:
        raise ValueError(_TOLERANCE_ALLOWED)
    return value  # type: ignore[return-value]


def _to_rate(value: object) -> Fraction:
    match = _RATE.fullmatch(value) if isinstance(value, str) else None
    rate = Fraction(match[1]) / 100 if match else None
    if rate is None or rate > 1:
        raise ValueError(_RATE_ALLOWED)
    return rate


def _to_field(value: str) -> str:
    """Return a field of clusters, or the key of a label; lists such as ``spec.zones`` are grouped by one."""
    singular = value.removesuffix("s")
    if singular != value and singular in FIELDS:
        raise ValueError(f"must be {singular}, the field by which clusters are grouped")
    return value


Price = Annotated[
    Fraction,
    PlainValidator(_to_price),
    WithJsonSchema({"type": ["string", "number"], "pattern": f"^{_PRICE.pattern}$", "minimum": 0}),
]
Percent = Annotated[
    int,
    PlainValidator(_to_percent),
    WithJsonSchema(
        {"type": ["string", "integer"], "pattern": f"^{_PERCENT.pattern}$", "minimum": 0, "maximum": 100}
    ),
]
Amount = Annotated[
    int | str,
    PlainValidator(_to_amount),
    WithJsonSchema({"type": ["string", "integer"], "pattern": f"^{_AMOUNT.pattern}$", "minimum": 0}),
]
Tolerance = Annotated[
    int | float | str, PlainValidator(_to_tolerance), WithJsonSchema({"type": ["string", "number"]})
]
Rate = Annotated[
    Fraction, PlainValidator(_to_rate), WithJsonSchema({"type": "string", "pattern": f"^{_RATE.pattern}$"})
]
GroupField = Annotated[
    Filled,
    AfterValidator(_to_field),
    Field(description="region, zone, provider or cluster; anything else is the key of a label."),
]


class WorkloadSelector(Api):
    """A set of workloads; everything must match, an empty one selects every workload."""

    namespaces: tuple[Text, ...] = ()
    """Namespaces; empty selects all."""
    names: tuple[Text, ...] = ()
    """Names of workloads; empty selects all."""
    kinds: tuple[Text, ...] = ()
    """Kinds of workloads, such as Deployment; empty selects all."""
    label_selector: LabelSelector | None = None
    """Labels of the workload, not of its pods."""


class ClusterSet(KarmadaSet):
    """A set of clusters, as in Karmada; everything must match, an empty one is every cluster."""

    cluster_names: tuple[Text, ...] = ()
    """Names; empty selects all."""
    exclude: tuple[Text, ...] = ()
    """Names of clusters to leave out."""
    label_selector: LabelSelector | None = None
    """Labels of the cluster."""
    field_selector: FieldSelector | None = None
    """Provider, region and zone of the cluster."""


class SelectingSpec(Api):
    """Specification of a rule for the selected workloads."""

    workload_selector: WorkloadSelector = Field(default_factory=WorkloadSelector)
    """The selected workloads; default: every workload."""
