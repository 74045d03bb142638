"""What all API types have in common: strict scalars, exact quantities and marks on fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, Strict
from pydantic.alias_generators import to_camel

from fairlead.models.quantity import parse_quantity

T = TypeVar("T")

INSTEAD = "instead"
"""Marks, in the context of an error, a missing field instead of which another one could stand."""


@dataclass(frozen=True, slots=True)
class Inert:
    """Mark of a field that cannot influence a placement.

    Parameters
    ----------
    why
        Why it cannot.
    """

    why: str


class Api(BaseModel):
    """Parent of all API types: frozen, field names as in Kubernetes, unknown fields noticed."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid")


class Open(Api):
    """Parent of API types of which only a part is read; the rest is passed through and never reported."""

    model_config = ConfigDict(extra="ignore")


def _to_time(value: object) -> datetime:
    """Read a time as Kubernetes writes it (RFC 3339); UTC where no zone is given."""
    if not isinstance(value, str):
        raise ValueError("must be a time such as 2026-01-31T15:04:05Z")  # noqa: TRY004 - pydantic collects ValueError
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        raise ValueError("must be a time such as 2026-01-31T15:04:05Z") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _to_quantity(value: object) -> Fraction:
    """Read a quantity, exactly."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("must be a quantity such as 500m, 2 or 4Gi")  # noqa: TRY004 - pydantic collects ValueError
    quantity = parse_quantity(value)
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
