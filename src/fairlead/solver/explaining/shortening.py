"""Long conflicts: what is said of many workloads, or of many clusters, is one sentence."""

from collections.abc import Sequence
from dataclasses import replace

from fairlead.models.problem import Problem
from fairlead.models.rules import total
from fairlead.models.statement import Statement
from fairlead.models.words import listed

LONG = 8
"""Statements up to which every one of them is told."""
SEVERAL = 3
"""Statements that are alike from which on they are one sentence."""
TOGETHER = "; together they "
"""Begins what is added up at the end of the last total."""


def shortened(statements: Sequence[Statement], problem: Problem) -> tuple[Statement, ...]:
    """Return the statements of a conflict; in a long one those are put together that say the same.

    Parameters
    ----------
    statements
        What its rules say.
    problem
        What they are about.
    """
    if len(statements) <= LONG:
        return tuple(statements)
    alike: dict[object, list[Statement]] = {}
    for statement in statements:
        alike.setdefault(_shape(statement), []).append(statement)
    found = [told for each in alike.values() for told in _joined(each)]
    totals = [each for each in found if each.rule == total.KIND]
    if len(totals) <= LONG:
        return tuple(found)
    asked = [each for each in statements if each.rule == total.KIND and each.workload is not None]
    return _summed(asked, problem), *(each for each in found if each.rule != total.KIND)


def _shape(statement: Statement) -> object:
    """Return what a statement says, whatever workload and cluster it is about."""
    text = statement.text.partition(TOGETHER)[0]
    for name in (statement.workload, statement.cluster):
        text = text.replace(name, "\0") if name else text
    return statement.rule, text, bool(statement.workload), bool(statement.cluster)


def _joined(alike: Sequence[Statement]) -> list[Statement]:
    """Return statements that differ in their workload, or in their cluster, as one."""
    if len(alike) < SEVERAL:
        return list(alike)
    first = alike[0]
    text = first.text.partition(TOGETHER)[0]
    sums = [each.text.partition(TOGETHER) for each in alike]
    added = next((f"{mark}{rest}" for _, mark, rest in sums if mark), "")
    for noun, names in (
        ("workload", [each.workload for each in alike if each.workload]),
        ("cluster", [each.cluster for each in alike if each.cluster]),
    ):
        different = list(dict.fromkeys(names))
        if len(different) > 1:
            text = text.replace(different[0], f"each of {listed(different, noun)}")
    one = {each.workload for each in alike}, {each.cluster for each in alike}
    workload, cluster = (each.pop() if len(each) == 1 else None for each in one)
    return [replace(first, text=f"{text}{added}", workload=workload, cluster=cluster)]


def _summed(asked: Sequence[Statement], problem: Problem) -> Statement:
    """Return how many replicas many workloads want together."""
    keys = [each.workload or "" for each in asked]
    replicas = sum(problem.workload(key).replicas for key in keys)
    added = next((mark + rest for _, mark, rest in (e.text.partition(TOGETHER) for e in asked) if mark), "")
    text = f"{listed(keys, 'workload')} want {replicas} replicas together{added}"
    return replace(asked[0], text=text, workload=None)
