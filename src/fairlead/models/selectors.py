"""What label selectors and field selectors match.

The rules of ``k8s.io/apimachinery/pkg/labels`` (Gt and Lt too, which node selectors and KubeAdmiral's cluster
selectors have), and of Karmada's selection of clusters by provider, region and zone.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, assert_never, get_args

Operator = Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
OPERATORS: tuple[Operator, ...] = get_args(Operator)
IN: Final = "In"
NOT_IN: Final = "NotIn"

PROVIDER = "provider"
REGION = "region"
ZONE = "zone"
FIELDS = (PROVIDER, REGION, ZONE)

_INTEGER = re.compile(r"[+-]?[0-9]{1,100}")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One expression over labels."""

    key: str
    """Key of the label."""
    operator: Operator
    values: tuple[str, ...] = ()
    """Values to compare with; none for ``Exists`` and ``DoesNotExist``, one integer for ``Gt`` and ``Lt``."""

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether labels satisfy the expression.

        A missing key satisfies ``NotIn`` and ``DoesNotExist`` only. ``Gt`` and ``Lt`` compare integers; other
        labels do not match.
        """
        value = labels.get(self.key)
        if value is None:
            return self.operator in ("NotIn", "DoesNotExist")
        return self._holds(value)

    def _holds(self, value: str) -> bool:
        match self.operator:
            case "In":
                return value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return True
            case "Gt" | "Lt":
                return self._compares(value)
            case "DoesNotExist":
                return False
            case _:
                assert_never(self.operator)

    def _compares(self, value: str) -> bool:
        found, limit = _integer(value), _integer(self.values[0]) if len(self.values) == 1 else None
        if found is None or limit is None:
            return False
        return found > limit if self.operator == "Gt" else found < limit


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """Expressions over labels that hold together; an empty selector matches everything."""

    match_labels: tuple[tuple[str, str], ...] = ()
    """Keys with the value that each must have, sorted."""
    match_expressions: tuple[Requirement, ...] = ()

    @classmethod
    def of(cls, labels: Mapping[str, str], expressions: Iterable[Requirement] = ()) -> "LabelSelector":
        """Return the selector for labels in any order."""
        return cls(tuple(sorted(labels.items())), tuple(expressions))

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether labels satisfy the selector."""
        return all(labels.get(key) == value for key, value in self.match_labels) and all(
            expression.matches(labels) for expression in self.match_expressions
        )


@dataclass(frozen=True, slots=True)
class FieldRequirement:
    """One expression over where a cluster stands."""

    key: str
    """``provider``, ``region`` or ``zone``."""
    operator: Operator
    values: tuple[str, ...] = ()

    def matches(self, provider: str | None, region: str | None, zones: Sequence[str]) -> bool:
        """Tell whether a cluster satisfies the expression.

        Provider and region behave like labels: None or an empty text is a missing key. A zone expression
        looks at all zones of the cluster: ``In`` wants any of them among the values, ``NotIn`` none of them,
        ``Exists`` at least one zone, ``DoesNotExist`` no zone.
        """
        if self.key != ZONE:
            field = {PROVIDER: provider, REGION: region}.get(self.key)
            requirement = Requirement(self.key, self.operator, self.values)
            return requirement.matches({self.key: field} if field else {})
        match self.operator:
            case "In":
                return any(zone in self.values for zone in zones)
            case "NotIn":
                return not any(zone in self.values for zone in zones)
            case "Exists":
                return bool(zones)
            case "DoesNotExist":
                return not zones
            case "Gt" | "Lt":
                return False
            case _:
                assert_never(self.operator)


def operator_problem(operator: str, values: Sequence[str]) -> str | None:
    """Return in words why an operator and its values do not fit together; None where they do."""
    if operator not in OPERATORS:
        return f"is an unknown operator; allowed are {', '.join(OPERATORS)}"
    if operator in (IN, NOT_IN) and not values:
        return f"{operator} needs at least one value"
    if operator in ("Exists", "DoesNotExist") and values:
        return f"{operator} takes no values"
    if operator in ("Gt", "Lt") and (len(values) != 1 or _integer(values[0]) is None):
        return f"{operator} needs exactly one value, an integer"
    return None


def field_problem(key: str, operator: str, values: Sequence[str]) -> str | None:
    """Return in words why an expression over fields is wrong; None where it is right."""
    if key not in FIELDS:
        return f"is an unknown field; allowed are {', '.join(FIELDS)}"
    if operator in ("Gt", "Lt"):
        return f"{operator} compares numbers; allowed here are {', '.join(OPERATORS[:4])}"
    return operator_problem(operator, values)


def _integer(text: str) -> int | None:
    """Return the 64-bit integer that a text stands for, as Go parses it; None where it is none."""
    if not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None
