"""Which problems can be solved as a batch: those of which all can be said place by place."""

import math

from fairlead.models.levels import DEVIATIONS, NET, Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    MoveBudget,
    MovePrice,
    Moves,
    Price,
    Quota,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.capacity import needs
from fairlead.models.score import levels_of
from fairlead.models.validity import largest
from fairlead.models.workload import Workload
from fairlead.solver.batch.arrays import MOST, MOST_ASKED

PLAIN = (Candidates, Total, Bounds, Weights, Moves, MovePrice, Price, Tiers)


SHARED = (Capacity, MoveBudget, Quota)


# Every budget is a row over all places; more than this many are too slow.
MOST_BUDGETS = 16


# Workloads that compete, from which on prices are better than one model of all.
MANY = 20


def applies(part: Problem) -> bool:
    """Tell whether a problem can be solved as a batch.

    Every workload has a total and no rule that ties its places together in another way, the levels are sums
    over places, and nothing but capacity, quotas and a few budgets of moves is shared.
    """
    if part.partial or not part.workloads or not all(isinstance(rule, SHARED) for rule in part.rules):
        return False
    if sum(isinstance(rule, MoveBudget) for rule in part.rules) > MOST_BUDGETS:
        return False
    return is_measured(part) and fits_arrays(part) and all(is_plain(workload) for workload in part.workloads)


def is_measured(part: Problem) -> bool:
    """Tell whether distances from the wanted ratio are sums over places."""
    measured = any(level.base in (*DEVIATIONS, NET) for level in levels_of(part))
    return part.deviation is not Deviation.MINIMAX or not measured


def fits_arrays(part: Problem) -> bool:
    """Tell whether what all replicas ask for fits 64 bits, in units of the greatest common divisor."""
    asked: dict[str, list[tuple[int, int]]] = {}
    for workload in part.workloads:
        total = workload.rule(Total) is not None
        # How many replicas all clusters together can be asked for.
        most = max(1, workload.replicas if total else largest(workload) * len(part.clusters))
        for resource, need in needs(workload).items():
            asked.setdefault(resource, []).append((need, most))
    for amounts in asked.values():
        unit = math.gcd(*(need for need, _ in amounts))
        if sum(need // unit * count for need, count in amounts) >= MOST_ASKED:
            return False
    return True


def is_plain(workload: Workload) -> bool:
    """Tell whether the rules of a workload can be said place by place."""
    return (
        workload.rule(Total) is not None
        and workload.replicas < MOST
        and all(map(_says_by_place, workload.rules))
    )


def _says_by_place(rule: WorkloadRule) -> bool:
    """Tell whether a rule is a matter of single places."""
    match rule:
        case Bounds():
            return not (rule.preferred or rule.where_used)
        case Weights():
            return not rule.tiers
        case _:
            return isinstance(rule, PLAIN)
