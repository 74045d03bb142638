"""One workload after the other; and rules of thumb that divide each of them by its weights alone.

These look at neither capacity nor what runs:

* ``karmada-proposal``, ``karmada-proposal-ceiling``: not what Karmada does, but the two pseudocodes that its
  proposal "Support Per-Cluster Min/Max Replicas in PropagationPolicy" (July 2025) prints, as written.
* ``largest-remainder``: Hamilton's method, whole shares first, then one each by what was cut off.
* ``webster``: the divisor method that rounds to the nearest whole number (M. L. Balinski and H. P. Young,
  "Fair Representation", 2nd edition, 2001).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from fairlead.models.cluster import Cluster
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Duplicated, Tiers, Weights
from fairlead.models.rules.capacity import demands
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.workload import Workload, turn
from fairlead.solver.exact.costs.deviations import narrow_unweighted, narrow_webster
from fairlead.solver.exact.marginal import Box, settle_ties
from fairlead.solver.running.deadline import Deadline

UNSCHEDULABLE = "Unschedulable"
NO_CLUSTER_FIT = "NoClusterFit"
SCHEDULER_ERROR = "SchedulerError"
"""Karmada's categories of failures, for every scheduler."""


@dataclass(frozen=True, slots=True)
class Dispensed:
    """The answer of a dispenser."""

    placement: Placement
    """Replicas by workload and cluster; after a failure what is left behind."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Categories of failure by workload, such as ``Unschedulable``, in the order in which they happened."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """Affinity group that was chosen by workload, where it was one."""
    selected: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Clusters that get the manifest by workload, those without replicas among them, where the dispenser
    tells."""


@dataclass(frozen=True, slots=True)
class WorkloadDispensed:
    """Answer of a scheduler for one workload."""

    replicas: Mapping[str, int]
    """Replicas by cluster; after a failure what is left behind. A cluster with 0 gets the manifest only."""
    reason: str | None = None
    """Category of the failure; None where there is none."""
    group: str = ""
    """The chosen affinity group; empty where there is none."""


def place_in_turn(
    problem: Problem,
    schedule: Callable[[Workload, Sequence[Cluster]], WorkloadDispensed],
    deadline: Deadline | None = None,
    *,
    deduct: bool,
) -> Dispensed:
    """Let a scheduler place all workloads of a problem.

    `schedule`: places one workload on clusters that have so much free. `deduct`: whether a workload sees what
    the ones before it have taken; False leaves every one the clusters as they are reported, as real
    schedulers do until the reports catch up.

    Raises `TimeOverError` where time is over before the last workload.
    """
    due = deadline or Deadline()
    clusters = dict(problem.cluster_by_name)
    answers: dict[str, WorkloadDispensed] = {}
    for workload in due.while_lasting(sorted(problem.workloads, key=turn)):
        answer = schedule(workload, tuple(clusters.values()))
        answers[workload.key] = answer
        if deduct:
            touched = {*answer.replicas, *workload.current}
            clusters |= {name: _after(clusters[name], workload, answer) for name in touched & clusters.keys()}
    return Dispensed(
        Placement({key: answer.replicas for key, answer in answers.items()}),
        {key: answer.reason for key, answer in answers.items() if answer.reason is not None},
        {key: answer.group for key, answer in answers.items() if answer.group},
        {key: frozenset(answer.replicas) for key, answer in answers.items()},
    )


def _after(cluster: Cluster, workload: Workload, answer: WorkloadDispensed) -> Cluster:
    """Return a cluster after a workload has come, gone or changed its size there.

    The grades of its nodes are dropped then, as nobody knows which nodes it uses: the sums count from there.
    """
    name = cluster.name
    added = answer.replicas.get(name, 0) - workload.current.get(name, 0)
    if cluster.free is None or not added:
        return cluster
    taken = {resource: need * added for resource, need in demands(workload, cluster).items()}
    left = {resource: amount - taken.get(resource, 0) for resource, amount in cluster.free.items()}
    return replace(cluster, free=left, grades=())


@dataclass(frozen=True, slots=True)
class DivisionInput:
    """One division."""

    replicas: int
    weights: Mapping[str, int]
    """Weight by candidate, in name order."""
    minimum: Mapping[str, int]
    maximum: Mapping[str, int]
    """Fewest and most replicas by candidate; absent means none."""


Divide = Callable[[DivisionInput], Mapping[str, int] | None]
"""Returns replicas by cluster; None where the division is refused."""


def place(problem: Problem, like: str, deadline: Deadline | None = None) -> Dispensed:
    """Divide every workload of a problem.

    A workload scaled to 0 holds nothing; under Duplicated every candidate gets its copy.
    """
    divide, refused = DIVISIONS[like]
    names = tuple(problem.cluster_by_name)
    placed: dict[str, Mapping[str, int]] = {}
    reasons: dict[str, str] = {}
    for workload in (deadline or Deadline()).while_lasting(problem.workloads):
        answer = _place(workload, names, divide)
        if answer is None:
            reasons[workload.key] = refused
        placed[workload.key] = answer or {}
    return Dispensed(Placement(placed), reasons)


def _place(workload: Workload, names: tuple[str, ...], divide: Divide) -> Mapping[str, int] | None:
    candidates = workload.rule(Candidates)
    open_to = candidates.names if candidates else names
    copies = workload.rule(Duplicated)
    if copies is not None:
        return {name: copy_on(copies, workload, name) for name in open_to}
    if not workload.replicas:
        return {}
    return divide(_question(workload, open_to))


def _question(workload: Workload, candidates: tuple[str, ...]) -> DivisionInput:
    """Return the division to make: by equal weights where the workload states none, on its first tier."""
    tiers = workload.rule(Tiers)
    inside = next((tier for tier in tiers.tiers if tier.intersection(candidates)), None) if tiers else None
    names = sorted(name for name in candidates if inside is None or name in inside)
    weights, bounds = workload.rule(Weights), workload.rule(Bounds) or Bounds()
    return DivisionInput(
        workload.replicas,
        {name: weights.weights.get(name, 0) if weights else 1 for name in names},
        {name: bounds.minimum[name].replicas for name in names if name in bounds.minimum},
        {name: bounds.maximum[name].replicas for name in names if name in bounds.maximum},
    )


def by_proposal(question: DivisionInput) -> dict[str, int] | None:
    """Return replicas by cluster in name order; None where the minima exceed the replicas.

    The second step takes every share of what is left by then, not of what was left before, so that 9 replicas
    over 1:1:1 become 4, 3, 2; the third step goes round only once, so that of 100 replicas over 1:1:1:1 it
    places 71. Maxima are not part of it.
    """
    assigned = {name: question.minimum.get(name, 0) for name in question.weights}
    remaining = question.replicas - sum(assigned.values())
    if remaining < 0:
        return None
    total_weight = sum(question.weights.values())
    for name, weight in question.weights.items() if total_weight else ():
        share = remaining * weight // total_weight
        assigned[name] += share
        remaining -= share
    for name in list(assigned)[:remaining]:
        assigned[name] += 1
    return assigned


def by_proposal_ceiling(question: DivisionInput) -> dict[str, int]:
    """Return replicas by cluster, shares rounded up, then cut back round by round; bounds are not part of it.

    Every cluster with a weight keeps at least one replica, so that 2 replicas over 1:1:1 become 3; nothing is
    placed where no cluster has a weight.
    """
    total_weight = sum(question.weights.values())
    if not total_weight:
        return {}
    assigned = {
        name: -(-question.replicas * weight // total_weight) for name, weight in question.weights.items()
    }
    excess = sum(assigned.values()) - question.replicas
    while excess > 0 and any(held > 1 for held in assigned.values()):
        for name, held in assigned.items():
            if held > 1 and excess > 0:
                assigned[name] -= 1
                excess -= 1
    return assigned


def by_largest_remainder(question: DivisionInput) -> dict[str, int] | None:
    """Return replicas by cluster, ties to the first by name; None where no cluster has a weight."""
    total = sum(question.weights.values())
    if not total:
        return None
    shares = {name: divmod(question.replicas * weight, total) for name, weight in question.weights.items()}
    left = question.replicas - sum(whole for whole, _ in shares.values())
    by_remainder = sorted(shares, key=lambda name: (-shares[name][1], name))
    lucky = frozenset(by_remainder[:left])
    return {name: whole + (name in lucky) for name, (whole, _) in shares.items()}


def by_webster(question: DivisionInput) -> Mapping[str, int] | None:
    """Return replicas by cluster, ties to the first by name; None where the bounds allow no division."""
    names = list(question.weights)
    lower = np.array([question.minimum.get(name, 0) for name in names], dtype=np.int64)
    upper = [question.maximum.get(name, question.replicas) for name in names]
    weights = np.array([question.weights[name] for name in names], dtype=np.int64)
    box = Box(lower, np.array(upper, dtype=np.int64), question.replicas)
    if not box.feasible:
        return None
    best = narrow_webster(narrow_unweighted(box, weights), weights)
    return dict(zip(names, settle_ties(best).tolist(), strict=True))


DIVISIONS: Mapping[str, tuple[Divide, str]] = MappingProxyType(
    {
        # The webhook of the proposal refuses minima that add up to more than the replicas.
        "karmada-proposal": (by_proposal, "Invalid"),
        "karmada-proposal-ceiling": (by_proposal_ceiling, "Invalid"),
        "largest-remainder": (by_largest_remainder, "Unschedulable"),
        "webster": (by_webster, "Unschedulable"),
    }
)
"""Function that divides one workload, and the category of the failure where it refuses to, by name."""
