"""From a policy of KubeAdmiral to one of Karmada.

Workloads keep the label by which they name their policy, and Karmada's policy selects them by it. Bounds are
written as the proposal of minimum and maximum replicas spells them: ``clusterConstraint``.
"""

from collections.abc import Iterable, Mapping

from fairlead.manifests.convert.account import NOT_BINPACK, Account, JsonObject, expressions
from fairlead.manifests.convert.to_kubeadmiral import named
from fairlead.manifests.kubeadmiral.annotations import CLUSTER_POLICY, POLICY
from fairlead.manifests.kubeadmiral.policies import (
    AFFINITY,
    MAX_CLUSTERS,
    PLACEMENT,
    RESCHEDULING,
    AppliedPolicy,
    LocatedPolicy,
    applied_policy,
)
from fairlead.manifests.kubeadmiral.stated import SelectorTerm, StatedPreferences
from fairlead.manifests.yaml.documents import Path
from fairlead.models.cluster import Cluster
from fairlead.models.selectors import IN, NOT_IN

_LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
_USUAL = (("apps/v1", "Deployment"), ("apps/v1", "StatefulSet"), ("batch/v1", "Job"))
"""Kinds that a policy selects where the input has no workload of it."""


def to_karmada(
    policy: LocatedPolicy, kinds: Iterable[tuple[str, str]], clusters: Mapping[str, Cluster], account: Account
) -> JsonObject:
    """Return the policy of Karmada that says the same.

    `kinds`: apiVersion and kind of the workloads that name the policy.
    """
    return {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": policy.document.kind,
        "metadata": named(policy.document, account),
        "spec": {
            "resourceSelectors": _selectors(policy, kinds, account),
            "placement": _Placement(policy, clusters, account).written(),
        },
    }


def _selectors(policy: LocatedPolicy, kinds: Iterable[tuple[str, str]], account: Account) -> list[JsonObject]:
    """Select the workloads by the label that names their policy."""
    key = CLUSTER_POLICY if policy.model.cluster_scoped else POLICY
    chosen = {"matchLabels": {key: policy.model.metadata.name}}
    found = sorted(kinds)
    if not found:
        account.note(
            policy.document,
            (),
            "no workload in the input names it: written for Deployments, StatefulSets and Jobs",
        )
    return [
        {"apiVersion": version, "kind": kind, "labelSelector": chosen} for version, kind in found or _USUAL
    ]


class _Placement:
    """The placement of a policy in the making."""

    def __init__(self, policy: LocatedPolicy, clusters: Mapping[str, Cluster], account: Account) -> None:
        self.policy, self.clusters, self.account = policy, clusters, account
        self.stated: AppliedPolicy = applied_policy(policy, policy.model.metadata.name)

    def lost(self, path: Path, message: str) -> None:
        """Say that Karmada cannot express a field of the spec."""
        self.account.lost(self.policy.document, ("spec", *path), message)

    def written(self) -> JsonObject:
        """Return the placement of Karmada."""
        stated, spec = self.stated, self.policy.model.spec
        self.account.inert(self.policy.document, spec, ("spec",))
        for part, field in ((spec.auto_migration, "autoMigration"), (spec.reschedule_policy, RESCHEDULING)):
            if part is not None:
                self.account.inert(self.policy.document, part, ("spec", field))
        if spec.auto_migration is not None:
            told = "not written: Karmada's descheduler moves replicas that cannot run"
            self.account.note(self.policy.document, ("spec", "autoMigration"), told)
        if stated.sticky:
            self.lost(
                (RESCHEDULING, "disableRescheduling"), "has no equivalent: what runs would no longer be kept"
            )
        found: JsonObject = {}
        if affinity := self._affinity():
            found["clusterAffinity"] = affinity
        if tolerations := self.policy.document.value(("spec", "tolerations")):
            found["clusterTolerations"] = tolerations
        if stated.max_clusters is not None:
            found["spreadConstraints"] = self._most_clusters(stated.max_clusters)
        found["replicaScheduling"] = self._scheduling()
        self._moves()
        return found

    def _affinity(self) -> JsonObject:
        """Write the clusters: as they are selected where Karmada can say that, else by name."""
        stated = self.stated
        terms, listing = stated.required, list(stated.placement.entries)
        if terms is not None and (len(terms) != 1 or not _is_plain(terms[0])):
            return self._by_name(terms, listing)
        term = terms[0] if terms else SelectorTerm()
        chosen = [one.values[0] for one in term.fields if one.operator == IN]
        names = listing or chosen[:1]
        if any(set(names) != {one} for one in chosen):
            names = [name for name in names if all(name == one for one in chosen)]
            if not names:
                return self._by_name((term,), listing)
        labels: JsonObject = {}
        if stated.cluster_selector:
            labels["matchLabels"] = dict(stated.cluster_selector)
        if term.expressions:
            labels["matchExpressions"] = expressions(term.expressions)
        found = {
            "clusterNames": names,
            "exclude": [one.values[0] for one in term.fields if one.operator == NOT_IN],
            "labelSelector": labels,
        }
        return {key: value for key, value in found.items() if value}

    def _by_name(self, terms: Iterable[SelectorTerm], listing: list[str]) -> JsonObject:
        """Write the clusters that are selected now."""
        names = [
            name
            for name, cluster in sorted(self.clusters.items())
            if self.stated.selects(cluster)
            and any(term.matches(cluster) for term in terms)
            and (not listing or name in listing)
        ]
        if not names:
            self.lost((AFFINITY,), "selects no cluster of the input, and no names would mean all")
            return {}
        self.account.by_name(self.policy.document, ("spec", AFFINITY), names)
        return {"clusterNames": names}

    def _most_clusters(self, most: int) -> list[JsonObject]:
        preferred = self.stated.placement
        if most < 1:
            self.lost((MAX_CLUSTERS,), "has no equivalent: for Karmada 0 means no limit")
        if preferred.priorities:
            self.lost(
                (PLACEMENT,),
                "has priorities, and Karmada has none: which clusters are chosen first would be lost",
            )
        if preferred.minimum:
            self.lost((PLACEMENT,), "has minimum replicas, and Karmada would not choose those clusters first")
        return [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": max(1, most)}]

    def _scheduling(self) -> JsonObject:
        """Write how replicas are divided."""
        stated = self.stated
        preferred = stated.placement
        limits = _limits(preferred)
        if not stated.divide:
            if limits:
                self.lost(
                    (PLACEMENT,), "has bounds, and Karmada does not make copies smaller or larger to fit"
                )
            return {"replicaSchedulingType": "Duplicated"}
        bounded: JsonObject = {}
        if limits:
            bounded["clusterConstraint"] = {"clusterConstraintTerms": limits}
            told = "has minReplicas or maxReplicas: written as clusterConstraint, a proposal that"
            told += " fairlead follows and Karmada's API does not have yet"
            self.account.note(self.policy.document, ("spec", PLACEMENT), told)
        divided = {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted"}
        if stated.binpack:
            self.lost(("replicasStrategy",), NOT_BINPACK)
            divided["replicaDivisionPreference"] = "Aggregated"
            return {**divided, "weightPreference": bounded} if bounded else divided
        if not preferred.weights:
            return {**divided, "weightPreference": {"dynamicWeight": "AvailableReplicas", **bounded}}
        return {**divided, "weightPreference": {"staticWeightList": self._weights(), **bounded}}

    def _weights(self) -> list[JsonObject]:
        """Write static weights; in Karmada a cluster without one gets nothing, not even its minimum."""
        preferred = self.stated.placement
        positions = {entry.cluster: at for at, entry in enumerate(self.policy.model.spec.placement)}
        weighed = {name: one.replicas for name, one in preferred.weights.items() if one.replicas}
        for name in preferred.minimum:
            if name not in weighed:
                path = (PLACEMENT, positions[name], "preferences", "minReplicas")
                self.lost(path, f"has no equivalent: {name} has no weight, so Karmada would not use it")
        if not weighed:
            self.lost((PLACEMENT,), "has weights of 0 only, which mean equal weights to Karmada")
        return [
            {"targetCluster": {"clusterNames": [name]}, "weight": weight} for name, weight in weighed.items()
        ]

    def _moves(self) -> None:
        """Compare when what runs is kept: that depends on the strategy in Karmada."""
        stated = self.stated
        if not stated.divide and stated.max_clusters is None:
            return
        static = stated.divide and not stated.binpack and bool(stated.placement.weights)
        path = (RESCHEDULING, "replicaRescheduling", "avoidDisruption")
        if static and stated.avoid_disruption:
            left_out = self.policy.document.value(("spec", *path)) is None
            why = "is true where left out; " if left_out else "has no equivalent: "
            self.lost(path, f"{why}Karmada divides by static weights again, even if replicas move")
        if not static and not stated.avoid_disruption:
            self.lost(path, "has no equivalent: Karmada keeps what runs where weights are dynamic")


def _is_plain(term: SelectorTerm) -> bool:
    """Tell whether Karmada can say a term: some expression, of operators that it knows."""
    return bool(term.expressions or term.fields) and all(
        one.operator in _LABEL_OPERATORS for one in term.expressions
    )


def _limits(preferred: StatedPreferences) -> list[JsonObject]:
    """Return minima and maxima, a term for each cluster."""
    found = []
    for name in preferred.entries:
        term: JsonObject = {"targetCluster": {"clusterNames": [name]}}
        if name in preferred.minimum:
            term["minReplicas"] = preferred.minimum[name].replicas
        if name in preferred.maximum:
            term["maxReplicas"] = preferred.maximum[name].replicas
        if len(term) > 1:
            found.append(term)
    return found
