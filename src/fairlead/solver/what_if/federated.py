"""Policies of KubeAdmiral read once more, for a workload and clusters that have changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fairlead.models.cluster import Cluster
from fairlead.models.declared import FederatedUnit
from fairlead.models.rules import WorkloadRule
from fairlead.models.source import Source
from fairlead.models.workload import Workload


def federated_rules(
    workload: Workload, unit: FederatedUnit, clusters: Sequence[Cluster], source: Source
) -> tuple[WorkloadRule, ...] | None:
    """Return the rules that a policy of KubeAdmiral makes of some clusters.

    Parameters
    ----------
    workload
        The workload.
    unit
        Its policy and annotations.
    clusters
        The clusters; where one is being deleted the workload does not run any more, even if nothing else of
        it may change.
    source
        What the rules name as their source: lines of the files are not known any more.

    Returns
    -------
    tuple or None
        None where the policy cannot be read.
    """
    from fairlead.manifests.api.kubeadmiral import PropagationPolicy
    from fairlead.manifests.kubeadmiral.annotations import Mark, overridden, read_feedback
    from fairlead.manifests.kubeadmiral.interpret import PolicyInterpreter
    from fairlead.manifests.kubeadmiral.policies import read_policy
    from fairlead.manifests.validation import validate
    from fairlead.manifests.yaml.documents import Document, Lines, LineTable

    data = {
        "apiVersion": "core.kubeadmiral.io/v1alpha1",
        "kind": "PropagationPolicy",
        "metadata": {"name": workload.name, "namespace": workload.namespace or "default"},
        "spec": dict(unit.policy),
    }
    located = validate(Document(data, Lines(source.file, LineTable(), 0, 0)), PropagationPolicy).located
    if located is None:
        return None
    annotations = {name: Mark(value, source) for name, value in unit.annotations.items()}
    policy, _ = overridden(read_policy(located, workload.policy), annotations, workload.key)
    leaving = {one.name for one in clusters if one.deleting}
    if policy.sticky:
        current = {name: count for name, count in workload.current.items() if name not in leaving}
        workload = replace(workload, current=current)
    by_name = {one.name: one for one in clusters}
    interpreter = PolicyInterpreter(by_name, frozenset(by_name))
    return interpreter.interpret(workload, policy, read_feedback(annotations, workload.key), source).rules
