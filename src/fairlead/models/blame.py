"""Whose fault it is where an answer is wrong: fairlead's own, or that of a rule from outside."""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from fairlead.models.errors import ExtensionError, FairleadError, InternalError
from fairlead.models.levels import Level
from fairlead.models.problem import Problem
from fairlead.models.rules import CustomCost, CustomRule, WorkloadRule
from fairlead.models.rules.custom import called
from fairlead.models.statement import Violation

_OTHERWISE = "tells CP-SAT something else than it means"


def broken(who: str, violation: Violation, problem: Problem) -> FairleadError:
    """Return the error of an answer that breaks a rule.

    `who`: whose answer it is, such as ``the answer of cp-sat``.
    """
    for rule in _rules(problem):
        if isinstance(rule, CustomRule) and rule.kind == violation.rule:
            return ExtensionError(f"{called(rule)} {_OTHERWISE}: {who} breaks it: {violation}")
    return InternalError(f"{who} breaks a rule: {violation}")


def priced_otherwise(
    level: Level, problem: Problem, told: Fraction | int, value: Fraction | int
) -> ExtensionError:
    """Return the error of a custom level on which CP-SAT was told another cost than the answer has.

    `told`: what CP-SAT was told that the best placement costs. `value`: what the best placement costs that is
    known.
    """
    rules = (rule for rule in _rules(problem) if isinstance(rule, CustomCost))
    names = {called(rule) for rule in rules if rule.level == level.base}
    whose = ", ".join(sorted(names))
    costs = f"the least {level.name} is {told} by its formulas, and {value} by its cost"
    return ExtensionError(f"{whose} {_OTHERWISE}: {costs}")


@contextmanager
def shared(problem: Problem) -> Iterator[None]:
    """Name the rules from outside where something contradicts itself while a problem that has some is solved.

    Raises `ExtensionError` in the place of an InternalError: more often than not it is one of them.
    """
    try:
        yield
    except InternalError as error:
        names = {called(rule) for rule in _rules(problem) if isinstance(rule, CustomRule | CustomCost)}
        if not names:
            raise
        whose = ", ".join(sorted(names))
        raise ExtensionError(f"{error}; unless {whose} {_OTHERWISE}, that is a bug in fairlead") from error


def _rules(problem: Problem) -> Iterator[WorkloadRule]:
    return (rule for workload in problem.workloads for rule in workload.rules)
