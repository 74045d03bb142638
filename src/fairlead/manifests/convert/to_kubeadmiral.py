"""From a policy of Karmada to one of KubeAdmiral.

KubeAdmiral names clusters where Karmada selects them, so weights and bounds are written for the clusters of
the input; its policies select no workloads, so these get a label.
"""

from collections.abc import Mapping
from typing import NamedTuple

from fairlead.manifests.api import KUBEADMIRAL
from fairlead.manifests.api.policies import ClusterAffinity, Placement
from fairlead.manifests.api.propagation import PropagationPolicy
from fairlead.manifests.convert.account import NOT_BINPACK, Account, JsonObject, by_label, expressions
from fairlead.manifests.karmada.groups import by, groups_of, matching, path_of
from fairlead.manifests.karmada.preferences import (
    DIVISION,
    STATIC,
    constraints_of,
    is_aggregated,
    is_divided,
    is_dynamic,
    largest,
    resolve_bounds,
    static_weights,
    weighted_terms,
)
from fairlead.manifests.karmada.specified import totals_of
from fairlead.manifests.karmada.totals import NO_TOTALS
from fairlead.manifests.kubeadmiral.annotations import CLUSTER_POLICY, POLICY
from fairlead.manifests.validation import Located
from fairlead.manifests.yaml.documents import OWN_API_VERSION, Document, Path
from fairlead.models.cluster import Cluster
from fairlead.models.source import Source
from fairlead.models.words import listed

Clusters = Mapping[str, Cluster]
LocatedPolicy = Located[PropagationPolicy]

PLACEMENT: Path = ("spec", "placement")


def label_of(policy: LocatedPolicy) -> tuple[str, str]:
    """Return the label by which a workload names the policy in KubeAdmiral."""
    return CLUSTER_POLICY if policy.model.cluster_scoped else POLICY, policy.model.metadata.name


def to_kubeadmiral(policy: LocatedPolicy, clusters: Clusters, account: Account) -> list[JsonObject]:
    """Return the same policy for KubeAdmiral, and own kinds of fairlead for what that cannot say."""
    return [
        {
            "apiVersion": KUBEADMIRAL,
            "kind": policy.document.kind,
            "metadata": named(policy.document, account),
            "spec": _Spec(policy, clusters, account).written(),
        },
        *_companions(policy),
    ]


LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def named(document: Document, account: Account) -> JsonObject:
    """Return the name of a manifest, with its labels; its annotations are for its own system."""
    stated = document.data["metadata"]
    if set(stated.get("annotations") or ()) - {LAST_APPLIED}:
        account.note(document, ("metadata", "annotations"), "not written")
    return {key: stated[key] for key in ("name", "namespace", "labels") if stated.get(key)}


class _Spec(NamedTuple):
    """The spec of a policy in the making."""

    policy: LocatedPolicy
    clusters: Clusters
    account: Account

    @property
    def placement(self) -> Placement:
        return self.policy.model.spec.placement

    def lost(self, path: Path, message: str) -> None:
        """Say that KubeAdmiral cannot express a field of the placement."""
        self.account.lost(self.policy.document, (*PLACEMENT, *path), message)

    def written(self) -> JsonObject:
        """Return the spec of the policy."""
        self._around()
        divided = is_divided(self.placement)
        spec: JsonObject = {"schedulingMode": "Divide" if divided else "Duplicate"}
        if is_aggregated(self.placement):
            self.lost(DIVISION, NOT_BINPACK)
            spec["replicasStrategy"] = "Binpack"
        spec |= self._where(divided=divided)
        if tolerations := self.policy.document.value((*PLACEMENT, "clusterTolerations")):
            spec["tolerations"] = tolerations
        spec |= self._most_clusters(divided=divided)
        if divided or "maxClusters" in spec:
            keeps = is_dynamic(self.placement) or not divided
            spec["reschedulePolicy"] = {"replicaRescheduling": {"avoidDisruption": keeps}}
        return spec

    def _around(self) -> None:
        """Look at what stands around the placement."""
        document, model, account = self.policy.document, self.policy.model, self.account
        spec = model.spec
        account.inert(document, spec, ("spec",))
        for field in ("priority", "preemption"):
            if document.value(("spec", field)):
                account.note(document, ("spec", field), "not written: a label names the policy of a workload")
        if spec.suspension and spec.suspension.scheduling:
            account.lost(
                document, ("spec", "suspension", "scheduling"), "has no equivalent in a policy of KubeAdmiral"
            )
        if spec.schedule_priority:
            message = "has no equivalent: which workloads go first where not all fit would be lost"
            account.lost(document, ("spec", "schedulePriority"), message)
        totals = totals_of(spec.placement, document, model.metadata, spec.replicas)
        if totals != NO_TOTALS:
            targets, numbers = ([one.where for one in each] for each in (totals.targets, totals.numbers))
            stated = (*targets, *numbers, totals.regions_at, DIVISION)
            first = next(one for one in stated if one)
            path = first.path if isinstance(first, Source) else (*PLACEMENT, *first)
            account.lost(document, path, "has no equivalent: KubeAdmiral has no totals for sets of clusters")

    def _set(self) -> tuple[ClusterAffinity | None, Path]:
        """Return the one set of clusters that can be written, and where it stands."""
        groups = groups_of(self.placement)
        for group in groups[1:2]:
            message = "has no equivalent: the affinity groups after the first one would be lost"
            self.lost(group.path, message)
        first, *later = groups[0].tiers
        if later:
            self.lost(later[0].path, "has no equivalent: the overflow clusters would be lost")
        return first.affinity, first.path

    def _where(self, *, divided: bool) -> JsonObject:
        """Write the clusters, and how much each gets."""
        affinity, path = self._set()
        inside = sorted(self.clusters) if affinity is None else matching(affinity, self.clusters)
        static = divided and not is_dynamic(self.placement)
        limits = resolve_bounds(self.placement, tuple(inside), self.clusters)
        stated = next(constraints_of(self.placement.replica_scheduling), None)
        if stated and not divided and (limits.minimum or limits.maximum):
            self.lost(
                stated[0], "means something else in KubeAdmiral, which makes a copy smaller or larger to fit"
            )
        if not static and not limits.minimum and not limits.maximum:
            return {} if affinity is None else self._selected(affinity, path)
        weights = static_weights(largest(weighted_terms(self.placement), self.clusters), inside).weights
        entries = []
        for name in inside:
            if static and name not in weights:
                continue
            preferences = {
                "minReplicas": limits.minimum[name].replicas if name in limits.minimum else None,
                "maxReplicas": limits.maximum[name].replicas if name in limits.maximum else None,
                "weight": weights[name] if static else None,
            }
            told = {key: number for key, number in preferences.items() if number is not None}
            entries.append({"cluster": name, "preferences": told} if told else {"cluster": name})
        self._now_only(affinity, STATIC if static and weighted_terms(self.placement) else path, inside)
        return self._listed(entries, path)

    def _now_only(self, affinity: ClusterAffinity | None, path: Path, names: list[str]) -> None:
        """Say that clusters are named which were selected, so that later ones are not among them."""
        terms = [term.target_cluster for term in weighted_terms(self.placement)]
        sets = [affinity or ClusterAffinity(), *terms]
        unknown = sorted({name for one in sets for name in one.cluster_names} - self.clusters.keys())
        if unknown:
            message = f"names {listed(unknown)}, not in the input: what is said of it would be lost"
            self.lost(path, message)
        if not all(one.cluster_names for one in (terms or sets)):
            self.account.by_name(self.policy.document, (*PLACEMENT, *path), names)

    def _listed(self, entries: list[JsonObject], path: Path) -> JsonObject:
        """Write a placement list; an empty one would mean every cluster."""
        if not entries:
            self.lost(path, "selects no cluster of the input, and an empty placement list would mean all")
        return {"placement": entries}

    def _selected(self, affinity: ClusterAffinity, path: Path) -> JsonObject:
        """Write a set of clusters as it is; provider, region and zone as labels."""
        requirements = affinity.label_selector.match_expressions if affinity.label_selector else ()
        fields = affinity.field_selector.match_expressions if affinity.field_selector else ()
        if fields:
            told = f"becomes the label {listed([by_label(one.key) for one in fields])}"
            self.account.note(self.policy.document, (*PLACEMENT, *path, "fieldSelector"), told)
        found: JsonObject = {}
        if affinity.cluster_names:
            found["placement"] = [{"cluster": name} for name in dict.fromkeys(affinity.cluster_names)]
        if affinity.label_selector and affinity.label_selector.match_labels:
            found["clusterSelector"] = dict(affinity.label_selector.match_labels)
        term = {
            "matchExpressions": expressions((*requirements, *fields)),
            "matchFields": [
                {"key": "metadata.name", "operator": "NotIn", "values": [name]} for name in affinity.exclude
            ],
        }
        stated = {key: value for key, value in term.items() if value}
        return {**found, "clusterAffinity": [stated]} if stated else found

    def _most_clusters(self, *, divided: bool) -> JsonObject:
        """Write a spread constraint over clusters; of others KubeAdmiral knows none."""
        found: JsonObject = {}
        bounded = any(constraints_of(self.placement.replica_scheduling))
        for position, one in enumerate(self.placement.spread_constraints):
            path = path_of(position)
            if by(one) != "cluster":
                field = "spreadByLabel" if one.spread_by_label else "spreadByField"
                self.lost((*path, field), "has no equivalent: KubeAdmiral spreads over clusters only")
            elif one.min_groups > 1:
                self.lost(
                    (*path, "minGroups"),
                    "has no equivalent: KubeAdmiral limits the number of clusters from above only",
                )
            elif one.max_groups and _has_minima(self.placement):
                message = "means something else beside minReplicas: KubeAdmiral picks those clusters first"
                self.lost((*path, "maxGroups"), message)
            elif one.max_groups:
                found = {"maxClusters": min(one.max_groups, found.get("maxClusters", one.max_groups))}
            elif not divided or bounded or is_aggregated(self.placement):
                self.lost(path, "has no equivalent: no cluster could be left without replicas")
        return found


def _has_minima(placement: Placement) -> bool:
    """Tell whether some cluster has to hold some replicas."""
    return any(
        stated.min_replicas or any(term.min_replicas for term in stated.cluster_constraint_terms)
        for _, stated in constraints_of(placement.replica_scheduling)
    )


def _companions(policy: LocatedPolicy) -> list[JsonObject]:
    """Write which workloads stand together or apart as a kind of fairlead's own."""
    stated = policy.model.spec.placement.workload_affinity
    if stated is None:
        return []
    key, name = label_of(policy)
    chosen: JsonObject = {"labelSelector": {"matchLabels": {key: name}}}
    if not policy.model.cluster_scoped:
        chosen = {"namespaces": [policy.model.in_namespace], **chosen}
    return [
        {
            "apiVersion": OWN_API_VERSION,
            "kind": "WorkloadAffinity",
            "metadata": {"name": f"{name}-{suffix}"},
            "spec": {"workloadSelector": chosen, "type": kind, "groupByLabelKey": term.group_by_label_key},
        }
        for kind, suffix, term in (
            ("Affinity", "together", stated.affinity),
            ("AntiAffinity", "apart", stated.anti_affinity),
        )
        if term is not None
    ]
