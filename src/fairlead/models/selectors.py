"""Label selectors and field selectors: which labels and clusters they match.

The rules of ``k8s.io/apimachinery/pkg/labels`` (Gt and Lt too, which node selectors and KubeAdmiral's cluster
selectors have), and of Karmada's selection of clusters by provider, region and zone.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, assert_never, get_args

from fairlead.models.errors import UsageError
from fairlead.models.problem import Problem
from fairlead.models.rules import Companionship, SharedRule
from fairlead.models.shapes import checked
from fairlead.models.workload import Workload

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
class SelectorRequirement:
    """One expression over labels, or over where a cluster stands."""

    key: str
    """Key of the label; ``provider``, ``region`` or ``zone`` of where a cluster stands."""
    operator: Operator
    values: tuple[str, ...] = ()
    """Values to compare with; none for ``Exists`` and ``DoesNotExist``, one integer for ``Gt`` and ``Lt``."""

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether labels satisfy the expression."""
        value = labels.get(self.key)
        return self.among(() if value is None else (value,))

    def among(self, found: Sequence[str]) -> bool:
        """Tell whether the values of a key satisfy the expression: one, several (zones) or none.

        ``In``, ``Gt`` and ``Lt`` want any of them to fit, ``NotIn`` none. ``Gt`` and ``Lt`` compare integers;
        other values do not fit.
        """
        match self.operator:
            case "In":
                return any(value in self.values for value in found)
            case "NotIn":
                return not any(value in self.values for value in found)
            case "Exists":
                return bool(found)
            case "DoesNotExist":
                return not found
            case "Gt" | "Lt":
                return any(map(self._compares, found))
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
    match_expressions: tuple[SelectorRequirement, ...] = ()

    @classmethod
    def of(
        cls, labels: Mapping[str, str], expressions: Iterable[SelectorRequirement] = ()
    ) -> "LabelSelector":
        """Return the selector for labels in any order."""
        return cls(tuple(sorted(labels.items())), tuple(expressions))

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether labels satisfy the selector."""
        return all(labels.get(key) == value for key, value in self.match_labels) and all(
            expression.matches(labels) for expression in self.match_expressions
        )


def operator_problem(operator: str, values: Sequence[str]) -> str | None:
    """Return in words why an operator and its values do not fit together; None where they do."""
    if operator not in OPERATORS:
        return f"is an unknown operator; allowed are {', '.join(OPERATORS)}"
    if operator in (IN, NOT_IN) and not values:
        return f"is empty, but {operator} needs at least one value"
    if operator in ("Exists", "DoesNotExist") and values:
        return f"must be left out: {operator} takes no values"
    if operator in ("Gt", "Lt") and (len(values) != 1 or _integer(values[0]) is None):
        return f"does not go with {operator}, which needs exactly one value, an integer"
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


_KEY = r"[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?"
_VALUE = r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?"
_EQUALITY = re.compile(rf"(?P<key>{_KEY})\s*(?P<sign>==|=|!=)\s*(?P<value>{_VALUE})")
_SET = re.compile(rf"(?P<key>{_KEY})\s+(?P<sign>in|notin)\s*\((?P<values>[^()]*)\)")
_PRESENCE = re.compile(rf"(?P<absent>!?)\s*(?P<key>{_KEY})")
_COMMA = re.compile(r",(?![^()]*\))")


@checked
def select(problem: Problem, namespaces: Iterable[str] = (), selector: str | None = None) -> Problem:
    """Return the problem with only those workloads that are asked for.

    What the others hold now counts as taken, as it is already in what the clusters report as allocated.

    Parameters
    ----------
    problem
        The problem.
    namespaces
        Namespaces to keep; empty keeps all.
    selector
        Labels of the workloads to keep, as for ``kubectl -l``: ``app=web,tier!=cache``, ``env in (dev,
        test)``, ``app``, ``!app``. None or empty keeps all.

    Raises
    ------
    UsageError
        Where the selector cannot be read.
    """
    wanted = frozenset(namespaces)
    labels = parse_selector(selector or "")
    kept = tuple(
        workload
        for workload in problem.workloads
        if (not wanted or workload.namespace in wanted) and labels.matches(workload.labels)
    )
    dropped = {workload.key for workload in problem.workloads} - {workload.key for workload in kept}
    warnings = tuple(warning for warning in problem.warnings if warning.workload not in dropped)
    return replace(problem, workloads=kept, rules=_among(kept, problem.rules), warnings=warnings)


def _among(kept: Iterable[Workload], rules: Iterable[SharedRule]) -> tuple[SharedRule, ...]:
    keys = {workload.key for workload in kept}
    left: list[SharedRule] = []
    for rule in rules:
        if not isinstance(rule, Companionship):
            left.append(rule)
            continue
        members = tuple(key for key in rule.members if key in keys)
        if len(members) > 1:
            left.append(replace(rule, members=members))
    return tuple(left)


def parse_selector(text: str) -> LabelSelector:
    """Read a label selector as kubectl writes it; an empty one matches everything.

    Raises `UsageError` where a part cannot be read.
    """
    parts = [part.strip() for part in _COMMA.split(text)] if text.strip() else []
    return LabelSelector.of({}, [_requirement(part) for part in parts])


def _requirement(part: str) -> SelectorRequirement:
    if match := _EQUALITY.fullmatch(part):
        operator: Operator = "NotIn" if match["sign"] == "!=" else "In"
        return SelectorRequirement(match["key"], operator, (match["value"],))
    if match := _SET.fullmatch(part):
        values = tuple(value.strip() for value in match["values"].split(","))
        return SelectorRequirement(match["key"], "In" if match["sign"] == "in" else "NotIn", values)
    if match := _PRESENCE.fullmatch(part):
        return SelectorRequirement(match["key"], "DoesNotExist" if match["absent"] else "Exists")
    allowed = "write app=web, app!=web, app in (a, b), app notin (a, b), app or !app, joined by commas"
    raise UsageError(f"cannot read the label selector {part!r}; {allowed}")
