"""Conflicts that say the same of many workloads, said once with the workloads they are about."""

from collections.abc import Sequence
from dataclasses import replace

from fairlead.models.statement import Conflict, Statement
from fairlead.models.words import listed
from fairlead.models.workload import Workload

_WORKLOAD = "\0"
"""Stands for the key of a workload in sentences that are compared."""


def said_once(conflicts: Sequence[Conflict], *, named: bool) -> tuple[Conflict, ...]:
    """Return conflicts, those of single workloads that differ in nothing but the workload as one.

    Parameters
    ----------
    conflicts
        Conflicts, in order.
    named
        True names the workload of a conflict also where no rule of it does, which is needed where there are
        several workloads.
    """
    alike: dict[object, list[Conflict]] = {}
    for at, conflict in enumerate(conflicts):
        alike.setdefault(_shape(conflict) or at, []).append(conflict)
    return tuple(_joined(each, named=named) for each in alike.values())


def for_each(conflict: Conflict, members: Sequence[Workload]) -> list[Conflict]:
    """Return the conflict of the first of some workloads that are alike, for each of them."""
    key = members[0].key
    return [
        replace(
            conflict,
            workloads=(each.key,),
            rules=tuple(_of_another(rule, key, each.key) for rule in conflict.rules),
        )
        for each in members
    ]


def _of_another(statement: Statement, key: str, other: str) -> Statement:
    """Return what a statement says of another workload."""
    about = other if statement.workload == key else statement.workload
    return replace(statement, text=statement.text.replace(key, other), workload=about)


def _shape(conflict: Conflict) -> object | None:
    """Return what the conflict of one workload says, whatever the workload; None for several workloads."""
    if len(conflict.workloads) != 1:
        return None
    (key,) = conflict.workloads
    rules = tuple((each.rule, each.text.replace(key, _WORKLOAD), each.cluster) for each in conflict.rules)
    return rules, conflict.proof


def _joined(alike: Sequence[Conflict], *, named: bool) -> Conflict:
    """Return one conflict for several that say the same."""
    first = alike[0]
    keys = tuple(sorted({key for each in alike for key in each.workloads}))
    if len(keys) == 1 and not named:
        return first
    if len(alike) == 1 and (len(keys) != 1 or any(keys[0] in each.text for each in first.rules)):
        return first
    key, everybody = first.workloads[0], listed(keys, "workload")
    whose = everybody if len(keys) == 1 else f"each of {everybody}"
    rules = tuple(_about(each, key, whose, alone=len(keys) == 1) for each in first.rules)
    if not any(key in each.text for each in first.rules):
        rules = (replace(rules[0], text=f"{rules[0].text}, for {everybody}"), *rules[1:])
    return replace(first, rules=rules, workloads=keys)


def _about(statement: Statement, key: str, whose: str, *, alone: bool) -> Statement:
    """Return what a statement says of several workloads."""
    return replace(
        statement,
        text=statement.text.replace(key, whose),
        workload=statement.workload if alone else None,
    )
