"""What becomes of KubeAdmiral's manifests when they are solved."""

from typing import Any

import fairlead
from builders import Manifest
from fairlead.manifests.loading import load
from fairlead.models.problem import Problem
from fairlead.models.workload import Workload
from kubeadmiral_manifests import federated, members, policy, web
from loaded import only

METHODS: tuple[Any, ...] = ("auto", "cp-sat")


def placed(problem: Problem, method: Any = "cp-sat") -> dict[str, int]:
    """Return the placement of the only workload, proven best and without a violation."""
    outcome = fairlead.solve(problem, method=method)
    assert outcome.status is fairlead.Status.OPTIMAL
    assert outcome.placement is not None
    assert fairlead.check(problem, outcome.placement) == ()
    return dict(outcome.placement[only(problem).key])


def refused(problem: Problem) -> list[str]:
    """Return the conflict of an infeasible problem."""
    outcome = fairlead.solve(problem)
    assert outcome.status is fairlead.Status.INFEASIBLE
    assert outcome.conflict is not None
    return [statement.text for statement in outcome.conflict.rules]


def divided(*placement: Manifest, replicas: int = 10, current: Any = None, **spec: Any) -> Problem:
    """Return the workload default/web on four clusters of 10 free cores under a policy that divides."""
    workload = web(replicas) if current is None else federated(web(replicas), current)
    return load(members(4), policy(placement=list(placement), **spec), workload)


def kinds(workload: Workload) -> list[str]:
    """Return the kinds of the rules in order."""
    return [type(rule).__name__ for rule in workload.rules]
