"""Numbers of replicas and requests that override policies write: other ones in some clusters than count."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fairlead.manifests.api import counted_in
from fairlead.manifests.api import overrides as api
from fairlead.manifests.api.meta import Object
from fairlead.manifests.karmada.groups import matches
from fairlead.manifests.karmada.policies import selects
from fairlead.manifests.kubeadmiral.reading import affinity_of, entries, section
from fairlead.manifests.kubeadmiral.stated import SelectorTerm
from fairlead.manifests.validation import Located
from fairlead.manifests.yaml.documents import shortened
from fairlead.models.cluster import Cluster
from fairlead.models.selectors import LabelSelector
from fairlead.models.source import FederatedUnit, Source
from fairlead.models.statement import Statement
from fairlead.models.words import listed
from fairlead.models.workload import Workload

KIND = "override"

_REQUESTS = re.compile(r"/spec/template/spec/(overhead|(initContainers|containers)(/[^/]+(/resources.*)?)?$)")
"""Fields that say what a replica requests, or hold that."""


class _Written(NamedTuple):
    """One field that a policy writes differently in some clusters."""

    policy: str
    path: str
    """The field, as a JSON pointer."""
    value: Any
    """Value that is written there; None where the field is removed."""
    clusters: tuple[str, ...]
    source: Source


def replica_overrides(
    karmada: Sequence[Located[api.OverridePolicy]],
    kubeadmiral: Sequence[Located[api.FederatedOverridePolicy]],
    workloads: Sequence[Workload],
    clusters: Sequence[Cluster],
) -> Iterator[Statement]:
    """Say which policies write another number of replicas than is placed: policy, clusters, number.

    Likewise those that let containers request something else, which capacity does not count.

    Cluster policies are applied first, policies of one kind by name; what is written last is what runs.
    """
    found: list[tuple[_Written, list[Workload]]] = []
    for policy in sorted(karmada, key=lambda one: one.model.place):
        mine = [one for one in workloads if _selected(policy, one)]
        found += [(one, mine) for one in (_written(policy, clusters) if mine else ())]
    for named in sorted(kubeadmiral, key=lambda one: one.model.place):
        mine = [one for one in workloads if named.model.place in _named(one)]
        found += [(one, mine) for one in (_written_federated(named, clusters) if mine else ())]
    last = {
        (workload.key, name): at
        for at, (one, mine) in enumerate(found)
        for workload in mine
        if one.path == _path(workload)
        for name in one.clusters
    }
    for at, (one, mine) in enumerate(found):
        if one.clusters and _REQUESTS.match(one.path):
            yield _told(one, one.clusters, mine)
        alike: dict[tuple[str, ...], list[Workload]] = {}
        for workload in mine:
            kept = tuple(name for name in one.clusters if last.get((workload.key, name)) == at)
            alike.setdefault(kept, []).append(workload)
        yield from (_told(one, names, those, number=True) for names, those in alike.items() if names)
    yield from _absent(kubeadmiral, workloads)


def _told(
    one: _Written, clusters: Sequence[str], mine: Sequence[Workload], *, number: bool = False
) -> Statement:
    """Say what a policy writes in the place of the number of replicas, or of what they request."""
    names = listed([workload.key for workload in mine], "workload")
    where = listed(list(clusters), "cluster")
    if number:
        value = "1, the default," if one.value is None else shortened(one.value)
        done = f"sets {one.path} of {names} to {value}"
        then = "that many run there, whatever is placed; capacity is counted for what is placed"
    else:
        done, then = (
            f"changes {one.path} of {names}",
            "capacity is counted for what the workload itself requests",
        )
    text = f"{one.policy} {done} on {where}: {then}"
    return Statement(KIND, text, one.source, mine[0].key if len(mine) == 1 else None)


def _path(workload: Workload) -> str:
    """Return where the replicas of a workload stand, as JSON patches write it."""
    return f"/spec/{counted_in(workload.api_version, workload.kind)}"


def _selected(policy: Located[api.OverridePolicy], workload: Workload) -> bool:
    """Tell whether a policy of Karmada applies to a workload; without selectors it does to all it reaches."""
    if isinstance(workload.declared, FederatedUnit):
        return False
    if policy.model.in_namespace not in ("", workload.namespace):
        return False
    selectors = policy.model.spec.resource_selectors
    about = (one for one in selectors if (one.api_version, one.kind) == (workload.api_version, workload.kind))
    named = (one for one in about if one.name in ("", workload.name))
    return not selectors or any(selects(one, workload) for one in named)


def _written(policy: Located[api.OverridePolicy], clusters: Sequence[Cluster]) -> Iterator[_Written]:
    """Yield the fields that a policy of Karmada writes; rules in their order, then the deprecated fields."""
    spec = policy.model.spec
    rules: list[tuple[tuple[str | int, ...], api.OverrideRule]] = [
        (("spec", "overrideRules", at), rule) for at, rule in enumerate(spec.override_rules)
    ]
    if spec.overriders is not None:
        rules.append(
            (("spec",), api.OverrideRule(target_cluster=spec.target_cluster, overriders=spec.overriders))
        )
    for path, rule in rules:
        affinity = rule.target_cluster
        named = tuple(sorted(one.name for one in clusters if affinity is None or matches(affinity, one)))
        yield from _patched(policy, (*path, "overriders", "plaintext"), rule.overriders.plaintext, named)


def _patched(
    policy: Located[Object],
    path: tuple[str | int, ...],
    patches: Sequence[api.PlaintextOverrider | api.JsonPatchOverrider],
    clusters: tuple[str, ...],
) -> Iterator[_Written]:
    called = f"{policy.document.kind} {'/'.join(filter(None, policy.model.place))}"
    for at, one in enumerate(patches):
        value = None if one.operator == "remove" else one.value
        yield _Written(called, one.path, value, clusters, policy.source(*path, at))


def _named(workload: Workload) -> tuple[tuple[str, str], ...]:
    unit = workload.declared
    return unit.override_policies(workload.namespace) if isinstance(unit, FederatedUnit) else ()


def _absent(
    policies: Sequence[Located[api.FederatedOverridePolicy]], workloads: Sequence[Workload]
) -> Iterator[Statement]:
    """Say which override policies labels of KubeAdmiral's workloads name that are not in the input."""
    known = {policy.model.place for policy in policies}
    found: dict[tuple[str, str], list[Workload]] = {}
    for workload in workloads:
        for place in _named(workload):
            if place not in known:
                found.setdefault(place, []).append(workload)
    for (namespace, name), mine in sorted(found.items()):
        names = listed([workload.key for workload in mine], "workload")
        called = f"OverridePolicy {namespace}/{name}" if namespace else f"ClusterOverridePolicy {name}"
        text = (
            f"{names}: a label names {called}, which is not in the input, so it is not known whether it"
            " writes other numbers of replicas"
        )
        yield Statement(KIND, text, mine[0].source, mine[0].key if len(mine) == 1 else None)


def _written_federated(
    policy: Located[api.FederatedOverridePolicy], clusters: Sequence[Cluster]
) -> Iterator[_Written]:
    written = entries(section(policy.document.data, "spec"), "overrideRules")
    for number, rule in enumerate(policy.model.spec.override_rules):
        target = rule.target_clusters or api.TargetClusters()
        affinity = affinity_of(section(written[number], "targetClusters"))
        named = tuple(sorted(one.name for one in clusters if _targets(target, affinity, one)))
        path = ("spec", "overrideRules", number, "overriders", "jsonpatch")
        yield from _patched(policy, path, rule.overriders.jsonpatch, named)


def _targets(target: api.TargetClusters, affinity: Sequence[SelectorTerm], cluster: Cluster) -> bool:
    if target.clusters and cluster.name not in target.clusters:
        return False
    if not LabelSelector.of(target.cluster_selector).matches(cluster.labels):
        return False
    return not affinity or any(term.matches(cluster) for term in affinity)
