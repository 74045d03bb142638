"""Conditions of an answer, as Kubernetes states them: type, status, reason and message."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from fairlead.models.result import NOTHING_FOUND, NOTHING_KEEPS, Result, Status
from fairlead.models.rules import Candidates, bounds, candidates, duplicated, group_total, total
from fairlead.models.statement import Violation
from fairlead.models.words import counted, format_percent, listed
from fairlead.models.workload import Workload

SCHEDULED, FULLY_PLACED, PROVEN = "Scheduled", "FullyPlaced", "Proven"


@dataclass(frozen=True, slots=True)
class Condition:
    """Condition of an answer or of a workload in it."""

    type: str
    """``Scheduled``, ``FullyPlaced`` or ``Proven``."""
    status: Literal["True", "False", "Unknown"]
    """``True``, ``False`` or ``Unknown``."""
    reason: str
    """One word in camel case for programs."""
    message: str = ""
    """A sentence for people; may be empty."""

    def __str__(self) -> str:
        head = f"{self.type}={self.status} ({self.reason})"
        return f"{head}: {self.message}" if self.message else head


# The gravest first: what a user wants to know before the rest.
_REASONS: Mapping[str, str] = MappingProxyType(
    {
        total.KIND: "ReplicasUnplaced",
        duplicated.KIND: "ReplicasUnplaced",
        bounds.KIND: "MinimumNotMet",
        group_total.KIND: "MinimumNotMet",
    }
)


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions of an answer: those of all workloads together, and those of each."""

    whole: tuple[Condition, ...]
    """``FullyPlaced`` and ``Proven``, of all workloads together."""
    workloads: Mapping[str, tuple[Condition, ...]]
    """``Scheduled`` and ``FullyPlaced`` by workload key."""


Short = Sequence[Violation]
"""Violations of one workload: rules that gave way, replicas that a dispenser left out. Empty where none
did."""


def conditions(outcome: Result) -> Conditions:
    """Return the conditions of an outcome: of every workload, and of the whole."""
    short: dict[str, list[Violation]] = {workload.key: [] for workload in outcome.problem.workloads}
    for violation in (*outcome.shortfalls, *outcome.violations):
        if violation.gives_way and violation.workload in short:
            short[violation.workload].append(violation)
    full = {
        workload.key: _fully_placed(outcome, short[workload.key]) for workload in outcome.problem.workloads
    }
    each = {
        workload.key: (_scheduled(outcome, workload, short[workload.key]), full[workload.key])
        for workload in outcome.problem.workloads
    }
    return Conditions((_all_placed(outcome, full), _proven(outcome)), each)


def _scheduled(outcome: Result, workload: Workload, short: Short) -> Condition:
    """Tell whether a workload stands anywhere; the reasons are Karmada's."""
    if outcome.placement is None and outcome.status is Status.UNKNOWN:
        return Condition(SCHEDULED, "Unknown", "TimeLimit", NOTHING_FOUND)
    placed = outcome.placed(workload)
    if placed:
        where = counted(len(placed), "cluster")
        return Condition(
            SCHEDULED, "True", "Success", f"{counted(sum(placed.values()), 'replica')} on {where}"
        )
    if outcome.placement is not None and not workload.replicas:
        return Condition(SCHEDULED, "True", "Success", "scaled to 0")
    rule = workload.rule(Candidates)
    if rule is not None and not rule.names:
        return Condition(SCHEDULED, "False", "NoClusterFit", candidates.summarise(rule))
    return Condition(
        SCHEDULED, "False", outcome.reason or "Unschedulable", _why_nothing(outcome, workload, short)
    )


def _why_nothing(outcome: Result, workload: Workload, short: Short) -> str:
    if outcome.placement is not None:
        return "; ".join(each.text for each in short)
    if outcome.conflict is not None and outcome.conflict.rules:
        about = [each for each in outcome.conflicts if workload.key in each.workloads]
        causes = [each.cause for each in about if each.cause]
        rules = [rule for conflict in about or outcome.conflicts[:1] for rule in conflict.rules]
        named = [
            str(each) for each in rules if each.workload in (workload.key, None if about else workload.key)
        ]
        return "; ".join([*causes, *named]) or "the rules of other workloads contradict each other"
    return NOTHING_KEEPS


_PLACED = Condition(FULLY_PLACED, "True", "ReplicasPlaced", "everything requested is placed")


def _fully_placed(outcome: Result, short: Short) -> Condition:
    if outcome.placement is None:
        unknown = outcome.status is Status.UNKNOWN
        status: Literal["False", "Unknown"] = "Unknown" if unknown else "False"
        reason = "TimeLimit" if unknown else "ReplicasUnplaced"
        return Condition(FULLY_PLACED, status, reason, "nothing is placed")
    if short:
        gravest = min((_REASONS.get(each.rule, "SpreadNotMet") for each in short), key=_GRAVITY.index)
        return Condition(FULLY_PLACED, "False", gravest, "; ".join(each.text for each in short))
    return _PLACED


def _all_placed(outcome: Result, each: Mapping[str, Condition]) -> Condition:
    failed = [key for key, condition in each.items() if condition.status != "True"]
    if not failed:
        return _PLACED
    worst = min((each[key] for key in failed), key=lambda one: _GRAVITY.index(one.reason))
    if outcome.placement is None:
        return worst
    lack = "is not fully placed" if len(failed) == 1 else "are not fully placed"
    missing = f"{len(failed)} of {counted(len(each), 'workload')} {lack}"
    return Condition(FULLY_PLACED, "False", worst.reason, f"{missing}: {listed(failed, 'workload')}")


_GRAVITY = ("TimeLimit", "ReplicasUnplaced", "MinimumNotMet", "SpreadNotMet")


def _proven(outcome: Result) -> Condition:
    if outcome.status is Status.OPTIMAL:
        return Condition(PROVEN, "True", "Optimal", "no better placement exists")
    if outcome.status is Status.INFEASIBLE and outcome.placement is None and outcome.conflict is not None:
        return Condition(PROVEN, "True", "Infeasible", NOTHING_KEEPS)
    if outcome.status is Status.FEASIBLE:
        return Condition(PROVEN, "False", "NotProven", how_far(outcome))
    return Condition(PROVEN, "False", "NotProven", "nothing is proven")


def how_far(outcome: Result) -> str:
    """Say how far the first level that is not proven may be from the best."""
    level = outcome.first_unproven
    if level is None and outcome.rejected:  # levels are proven, groups are not
        return "best in its affinity groups; whether an earlier one would do was not settled in time"
    if level is None or level.gap is None:
        held = "some rules are not met" if outcome.shortfalls else "every rule is kept"
        return f"{held}; {outcome.origin} proves nothing about its answer"
    return f"not proven best; {level.name} could be up to {format_percent(level.gap)} lower"
