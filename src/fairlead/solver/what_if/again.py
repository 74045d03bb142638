"""Placements read once more: where a change opens clusters that the rules know only as closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from fairlead.models.affinity_groups import at_start
from fairlead.models.cluster import Cluster, Taint
from fairlead.models.declared import FederatedUnit, KarmadaBinding
from fairlead.models.errors import UnsupportedError
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Candidates,
    Duplicated,
    Evenness,
    GroupTotal,
    Price,
    Shares,
    Survival,
    Total,
    WorkloadRule,
)
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.rules.capacity import without_lag
from fairlead.models.source import NOWHERE, Source
from fairlead.models.statement import Statement
from fairlead.models.validity import uncounted
from fairlead.models.workload import Workload
from fairlead.solver.what_if.federated import federated_rules

if TYPE_CHECKING:
    from fairlead.manifests.api.karmada import ResourceBinding
    from fairlead.manifests.yaml.documents import Document

DRAINED = Taint("fairlead.io/drained", "", "NoExecute")
CORDONED = Taint("fairlead.io/cordoned", "", "NoSchedule")
"""Marks on clusters of a changed problem, so that a later change knows of an earlier one."""

IS_DRAINED = "is being drained"
IS_CORDONED = "is cordoned"

BESIDE_OTHERS = (
    "matched no static weight",
    "has static weight 0",
    "had no share of the hierarchical weights",
    "is in a later overflow tier",
    "does not run it, and rescheduling is disabled",
)
"""Beginnings of reasons that close a cluster only as long as others are open."""

_FROM_ELSEWHERE = (Evenness, GroupTotal, Price, Shares)
"""Rules that a placement alone does not tell: totals around it, and manifests of our own kinds."""


class Reopened(NamedTuple):
    """A workload after clusters were closed, and what there is to say."""

    workload: Workload
    warnings: tuple[Statement, ...] = ()


def reopened(before: Workload, after: Workload, clusters: Sequence[Cluster]) -> Reopened:
    """Open the clusters that stood back for those that are closed now.

    Where no cluster with a static weight is left, all others weigh the same; where no cluster of the first
    overflow tier is left, the next tier is the first; where a workload that must not be rescheduled runs
    nowhere any more, it is scheduled anew. Which rules hold there the placement tells again.

    Parameters
    ----------
    before, after
        The workload before and after clusters were closed to it.
    clusters
        The clusters that are left.
    """
    if not any(_stands_back(rules) for rules in _emptied(before, after)):
        return Reopened(after)
    again = interpreted(after, clusters)
    if again is not None:
        return Reopened(again)
    text = (
        f"{after.key}: clusters that stood back for those that are closed now may open;"
        " the rules do not tell, so they stay closed here"
    )
    return Reopened(after, (Statement("candidates", text, after.source, after.key),))


def _emptied(before: Workload, after: Workload) -> list[tuple[WorkloadRule, ...]]:
    """Return the rules after the change, of those affinity groups that lost what others stood back for."""
    pairs = [(before.rules, after.rules)]
    pairs += [(old.rules, new.rules) for old, new in zip(before.groups, after.groups, strict=True)]
    return [new for old, new in pairs if _open(old) and (not _open(new) or _depths(old) != _depths(new))]


def _open(rules: Sequence[WorkloadRule]) -> tuple[str, ...]:
    """Return the candidates."""
    return next((rule.names for rule in rules if isinstance(rule, Candidates)), ())


def _depths(rules: Sequence[WorkloadRule]) -> list[int]:
    """Return the number of groups of every depth of hierarchical weights."""
    return [len(groups) for rule in rules if isinstance(rule, Shares) for groups in rule.depths]


def _stands_back(rules: Sequence[WorkloadRule]) -> bool:
    """Tell whether a cluster is closed only as long as others are open."""
    found = next((rule for rule in rules if isinstance(rule, Candidates)), None)
    return found is not None and any(one.reason.startswith(BESIDE_OTHERS) for one in found.excluded.values())


def restored(problem: Problem, cluster: Cluster) -> Problem:
    """Open a cluster again to every workload.

    Raises
    ------
    UnsupportedError
        Where a workload for which it is closed was not read from manifests, or has rules from elsewhere.
    """
    fresh = replace(
        cluster,
        taints=tuple(one for one in cluster.taints if one.effect not in ("NoSchedule", "NoExecute")),
        implied_taints=(),
        deleting=False,
        joined=True,
        ready=True,
    )
    clusters = tuple(fresh if one is cluster else one for one in problem.clusters)
    up_to_date = without_lag(clusters, problem.workloads)
    workloads = tuple(_restored(workload, cluster.name, up_to_date) for workload in problem.workloads)
    return replace(problem, clusters=clusters, workloads=workloads)


def _restored(workload: Workload, cluster: str, clusters: Sequence[Cluster]) -> Workload:
    """Return a workload with its rules once a cluster is open."""
    all_rules = [workload.rules, *(group.rules for group in workload.groups)]
    closed = [rule for rules in all_rules for rule in rules if isinstance(rule, Candidates)]
    if not any(cluster in rule.excluded or cluster in rule.held_only for rule in closed):
        return workload
    again = interpreted(workload, clusters)
    if again is None:
        why = "only the manifests tell what holds there; edit them and solve again"
        raise UnsupportedError(f"{cluster} cannot be opened again to {workload.key}: {why}")
    return again


def interpreted(workload: Workload, clusters: Sequence[Cluster]) -> Workload | None:
    """Return a workload with the rules that its placement or policy makes of some clusters.

    Lines of the files are not known any more, so rules name their file only.

    Returns
    -------
    Workload or None
        None where that alone does not tell: the workload was not read from manifests, or has rules from
        elsewhere.
    """
    if any(isinstance(rule, _FROM_ELSEWHERE) for rule in _every_rule(workload)):
        return None
    source = next((one for one in map(_amount_source, workload.rules) if one), NOWHERE)
    read = [_as_read(one) for one in clusters]
    bare = replace(workload, rules=(), groups=(), group=None)
    match workload.declared:
        case KarmadaBinding() as declared:
            found = _of_karmada(bare, declared, read, source)
        case FederatedUnit() as unit:
            found = _of_kubeadmiral(bare, unit, read, source)
        case _:
            return None
    return None if found is None else _completed(found, workload, clusters)


def _of_karmada(
    workload: Workload, declared: KarmadaBinding, clusters: Sequence[Cluster], source: Source
) -> Workload | None:
    """Return a workload with the rules of its placement."""
    from fairlead.manifests.karmada.facts import Declared
    from fairlead.manifests.karmada.interpret import Interpreter
    from fairlead.manifests.validation import validate

    document = _as_binding(workload, declared, source.file)
    located = validate(document, _binding_model()).located
    placement = located.model.spec.placement if located else None
    if placement is None:
        return None
    read = Declared(placement, document, ("spec", "placement"), workload.policy)
    evicting = dict.fromkeys(declared.evicting, source)
    found = Interpreter.of(clusters).interpret(workload, read, evicting, source)
    return replace(workload, rules=found.rules, groups=found.groups)


def _of_kubeadmiral(
    workload: Workload, unit: FederatedUnit, clusters: Sequence[Cluster], source: Source
) -> Workload | None:
    """Return a workload with the rules of its policy."""
    rules = federated_rules(workload, unit, clusters, source)
    return None if rules is None else replace(workload, rules=rules, without=uncounted(rules))


def _completed(found: Workload, before: Workload, clusters: Sequence[Cluster]) -> Workload:
    """Add what has to survive, and say in our own words what has become of clusters."""
    ours = {one.name: words for one in clusters if (words := _our_words(one))}
    survivals = before.rules_of(Survival)

    def complete(rules: Sequence[WorkloadRule]) -> tuple[WorkloadRule, ...]:
        again = (_surviving(rule, rules, clusters) for rule in survivals)
        return (*(_worded(rule, ours) for rule in rules), *again)

    groups = tuple(replace(group, rules=complete(group.rules)) for group in found.groups)
    return at_start(replace(found, rules=complete(found.rules), groups=groups))


def _every_rule(workload: Workload) -> list[WorkloadRule]:
    """Return the rules of a workload and of all of its affinity groups."""
    return [*workload.rules, *(rule for group in workload.groups for rule in group.rules)]


def _amount_source(rule: WorkloadRule) -> Source | None:
    """Return where a rule about the number of replicas was declared; None for other rules."""
    return rule.source if isinstance(rule, Total | Duplicated) else None


def _binding_model() -> type[ResourceBinding]:
    """Return the type of a binding; imported late, because it brings pydantic."""
    from fairlead.manifests.api.karmada import ResourceBinding

    return ResourceBinding


def _as_binding(workload: Workload, declared: KarmadaBinding, file: str) -> Document:
    """Return a binding that holds the placement of a workload, as a document without lines."""
    from fairlead.manifests.yaml.documents import Document, Lines, LineTable

    resource = {"apiVersion": workload.api_version, "kind": workload.kind, "name": workload.name}
    data = {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding",
        "metadata": {"name": workload.name},
        "spec": {"resource": resource, "placement": dict(declared.placement)},
    }
    return Document(data, Lines(file, LineTable(), 0, 0))


def _as_read(cluster: Cluster) -> Cluster:
    """Return a cluster so that the reader of manifests closes it as its marks ask for, tolerated or not."""
    taints = tuple(one for one in cluster.taints if one not in (DRAINED, CORDONED))
    drained, cordoned = DRAINED in cluster.taints, CORDONED in cluster.taints
    return replace(
        cluster,
        taints=taints,
        deleting=cluster.deleting or drained,
        ready=cluster.ready and not cordoned,
    )


def _our_words(cluster: Cluster) -> str:
    """Return what a change has made of a cluster; empty where none has."""
    if DRAINED in cluster.taints:
        return IS_DRAINED
    return IS_CORDONED if CORDONED in cluster.taints else ""


def _surviving(rule: Survival, rules: Sequence[WorkloadRule], clusters: Sequence[Cluster]) -> Survival:
    """Return what has to survive over the candidates of other rules."""
    from fairlead.models.topology import groups

    names = _open(rules)
    return replace(rule, groups=groups([one for one in clusters if one.name in names], rule.field))


def _worded(rule: WorkloadRule, words: Mapping[str, str]) -> WorkloadRule:
    """Say that clusters are drained or cordoned, not that they are being deleted or not ready."""
    if not isinstance(rule, Candidates):
        return rule
    return replace(rule, excluded=_reasons(rule.excluded, words), held_only=_reasons(rule.held_only, words))


def _reasons(found: Mapping[str, Exclusion], words: Mapping[str, str]) -> dict[str, Exclusion]:
    """Put the words of a change in the place of those that stood for it."""
    from fairlead.manifests.standing import DELETING, NOT_READY

    stood_for = {DELETING, NOT_READY}
    return {
        name: Exclusion(words[name]) if name in words and one.reason in stood_for else one
        for name, one in found.items()
    }
