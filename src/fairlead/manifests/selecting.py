"""Keeping only some workloads of a problem, by namespace and labels."""

import re
from collections.abc import Iterable
from dataclasses import replace

from fairlead.models.errors import UsageError
from fairlead.models.problem import Problem
from fairlead.models.rules import Companionship, SharedRule
from fairlead.models.selectors import LabelSelector, Operator, Requirement
from fairlead.models.shapes import checked
from fairlead.models.workload import Workload

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


def _requirement(part: str) -> Requirement:
    if match := _EQUALITY.fullmatch(part):
        operator: Operator = "NotIn" if match["sign"] == "!=" else "In"
        return Requirement(match["key"], operator, (match["value"],))
    if match := _SET.fullmatch(part):
        values = tuple(value.strip() for value in match["values"].split(","))
        return Requirement(match["key"], "In" if match["sign"] == "in" else "NotIn", values)
    if match := _PRESENCE.fullmatch(part):
        return Requirement(match["key"], "DoesNotExist" if match["absent"] else "Exists")
    allowed = "write app=web, app!=web, app in (a, b), app notin (a, b), app or !app, joined by commas"
    raise UsageError(f"cannot read the label selector {part!r}; {allowed}")
