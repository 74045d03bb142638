"""What stays where it is: workloads whose only placement without a move is the one that runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fairlead.models.levels import COPIES, MOVES_FIRST, MOVES_UNCHANGED, Level
from fairlead.models.problem import Problem
from fairlead.models.rules import Copies, Duplicated, MoveBudget, Moves, Total
from fairlead.models.rules.moves import level
from fairlead.models.workload import Workload

KEEPING = frozenset({MOVES_UNCHANGED, MOVES_FIRST})
"""Levels on which the moves of workloads count that keep what runs."""


def frozen(part: Problem, alone: Mapping[str, Mapping[str, int]]) -> dict[str, Level]:
    """Return the workloads that can only stay while moves are at their least, with the level that says so.

    A workload of unchanged size that stands best, all shared capacity for itself, where it runs now has one
    placement without a move: the running one. As long as the levels of a problem reach what the workloads
    need alone up to the level of its moves, it cannot stand anywhere else. Nor can one that has copies on
    clusters of its choice: each of them stays, and one more would be another number of missing copies.

    Parameters
    ----------
    alone
        Workloads as they are placed where they have all shared capacity for themselves, as far as known.
    """
    tied = _tied(part)
    found: dict[str, Level] = {}
    for workload in part.workloads:
        if workload.key in alone and workload.key not in tied:
            keeps = _keeping(workload, alone[workload.key], part.levels)
            if keeps is not None:
                found[workload.key] = keeps
    return found


def _keeping(workload: Workload, placed: Mapping[str, int], order: Sequence[str]) -> Level | None:
    """Return the level that keeps a workload where it runs; None where none does, or it stands elsewhere."""
    rule = workload.rule(Moves)
    if rule is None or not rule.present.issuperset(workload.current):
        return None
    at = level(rule, workload)
    stands = {name: count for name, count in placed.items() if count}
    if at not in KEEPING or stands != dict(workload.current):
        return None
    copies = workload.rule(Duplicated)
    if copies is not None:
        chosen = copies.choice and workload.rule(Copies) is not None and bool(stands)
        return (
            replace(max(at, COPIES, key=lambda each: order.index(each.key)), priority=workload.priority)
            if chosen
            else None
        )
    wanted = workload.rule(Total) is not None and sum(stands.values()) == workload.replicas
    return replace(at, priority=workload.priority) if wanted else None


def _tied(part: Problem) -> frozenset[str]:
    """Return the workloads that something else than capacity and budgets of moves ties to others.

    Who does not move uses nothing of a budget of moves.
    """
    rules = (rule for rule in part.rules if not isinstance(rule, MoveBudget))
    return frozenset(key for rule in rules for key in rule.tied(part))
