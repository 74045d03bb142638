"""What documents are made of: values that JSON has, under names in the spelling of Kubernetes."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from fairlead.models.source import Source

Document = dict[str, Any]


def picked(thing: object, *names: str) -> Document:
    """Return fields and properties of an object under their names in camel case, the value of each plain.

    Parameters
    ----------
    names
        Names of fields and properties; none takes all fields of a dataclass, in order.
    """
    wanted = names or tuple(one.name for one in fields(thing)) if is_dataclass(thing) else names
    return {_camel(name): plain(getattr(thing, name)) for name in wanted}


def plain(value: object) -> Any:
    """Return a value as JSON has it: sources and enums as text, objects as their fields."""
    match value:
        case Source() | Enum():
            return str(value)
        case Fraction():
            return json_number(value)
        case Mapping():
            return {str(key): plain(each) for key, each in value.items()}
        case tuple() | list():
            return [plain(each) for each in value]
        case _ if is_dataclass(value):
            return picked(value)
        case _:
            return value


def json_number(value: int | Fraction) -> int | float:
    """Return an int where the value is whole, else a float."""
    return int(value) if value.denominator == 1 else float(value)


def numbers(**values: int | Fraction | None) -> Document:
    """Return numbers under their names; those that a float cannot hold stand exactly beside them as well."""
    document: Document = {}
    for name, value in values.items():
        document[name] = None if value is None else json_number(value)
        if value is not None and Fraction(document[name]) != value:
            document[f"exact{name.capitalize()}"] = str(value)
    return document


def _camel(name: str) -> str:
    """Return a name in camel case.

    >>> _camel("still_broken")
    'stillBroken'
    """
    first, *others = name.split("_")
    return first + "".join(each.capitalize() for each in others)
