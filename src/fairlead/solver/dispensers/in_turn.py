"""Real schedulers take one workload after the other, by priority and then by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fairlead.models.affinity_groups import turn
from fairlead.models.cluster import Cluster
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.capacity import demands
from fairlead.models.workload import Workload
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
class Answer:
    """What a scheduler answers for one workload."""

    replicas: Mapping[str, int]
    """Replicas by cluster; after a failure what is left behind. A cluster with 0 gets the manifest only."""
    reason: str | None = None
    """Category of the failure; None where there is none."""
    group: str = ""
    """The chosen affinity group; empty where there is none."""


def place_in_turn(
    problem: Problem,
    schedule: Callable[[Workload, Sequence[Cluster]], Answer],
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
    answers: dict[str, Answer] = {}
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


def _after(cluster: Cluster, workload: Workload, answer: Answer) -> Cluster:
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
