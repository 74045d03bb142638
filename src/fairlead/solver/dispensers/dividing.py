"""Dispensers that divide every workload by its weights alone; capacity and what runs are not looked at."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Duplicated, Tiers, Weights
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.workload import Workload
from fairlead.solver.dispensers.answer import Dispensed


@dataclass(frozen=True, slots=True)
class Question:
    """One division.

    Parameters
    ----------
    replicas
        Replicas to divide.
    weights
        Weight by candidate, in name order.
    minimum, maximum
        Fewest and most replicas by candidate; absent means none.
    """

    replicas: int
    weights: Mapping[str, int]
    minimum: Mapping[str, int]
    maximum: Mapping[str, int]


Divide = Callable[[Question], Mapping[str, int] | None]
"""Returns replicas by cluster; None where the division is refused."""


def place_divided(problem: Problem, divide: Divide, refused: str) -> Dispensed:
    """Divide every workload of a problem.

    A workload scaled to 0 holds nothing; under Duplicated every candidate gets its copy.

    Parameters
    ----------
    problem
        The question.
    divide
        Divides one workload.
    refused
        Category of the failure where it refuses to.
    """
    names = tuple(problem.cluster_by_name)
    placed: dict[str, Mapping[str, int]] = {}
    reasons: dict[str, str] = {}
    for workload in problem.workloads:
        answer = _place(workload, names, divide)
        if answer is None:
            reasons[workload.key] = refused
        placed[workload.key] = answer or {}
    return Dispensed(Placement(placed), reasons)


def _place(workload: Workload, names: tuple[str, ...], divide: Divide) -> Mapping[str, int] | None:
    """Place one workload; None where its division is refused."""
    candidates = workload.rule(Candidates)
    open_to = candidates.names if candidates else names
    copies = workload.rule(Duplicated)
    if copies is not None:
        return {name: copy_on(copies, workload, name) for name in open_to}
    if not workload.replicas:
        return {}
    return divide(_question(workload, open_to))


def _question(workload: Workload, candidates: tuple[str, ...]) -> Question:
    """Return what is to be divided: by equal weights where the workload states none, on its first tier."""
    tiers = workload.rule(Tiers)
    inside = next((tier for tier in tiers.tiers if tier.intersection(candidates)), None) if tiers else None
    names = sorted(name for name in candidates if inside is None or name in inside)
    weights, bounds = workload.rule(Weights), workload.rule(Bounds) or Bounds()
    return Question(
        workload.replicas,
        {name: weights.weights.get(name, 0) if weights else 1 for name in names},
        {name: bounds.minimum[name].replicas for name in names if name in bounds.minimum},
        {name: bounds.maximum[name].replicas for name in names if name in bounds.maximum},
    )
