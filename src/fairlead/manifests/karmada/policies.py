"""Which policy applies to a resource, by Karmada's rules of precedence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fairlead.manifests.api.meta import Object
from fairlead.manifests.api.propagation import PropagationPolicy, ResourceSelector
from fairlead.manifests.validation import Located
from fairlead.models.workload import Workload

_POLICY = "propagationpolicy.karmada.io/"
_CLUSTER_POLICY = "clusterpropagationpolicy.karmada.io/"

MATCHES_ALL, MATCHES_LABELS, MATCHES_NAME = range(1, 4)


class ResourceTemplate(NamedTuple):
    """Resource as the selectors of policies see it."""

    api_version: str
    kind: str
    namespace: str
    name: str
    labels: Mapping[str, str]
    """Labels of the resource. Its namespace is empty where it is cluster-scoped."""


class ChosenPolicy(NamedTuple):
    """The policy of a resource, and a better one that came too late."""

    policy: Located[PropagationPolicy] | None
    """The policy that applies; None where none does."""
    outvoted: Located[PropagationPolicy] | None = None
    """A policy that precedes it, but must not take over a resource that is claimed already."""


def claim_of(model: Object) -> tuple[str, str] | None:
    """Return namespace and name of the policy that an object says it belongs to; None where it says none.

    Karmada writes them as annotations, older versions as labels. The namespace of a cluster policy is empty.
    """
    marks = {**model.metadata.labels, **model.metadata.annotations}
    if marks.get(_POLICY + "name"):
        return marks.get(_POLICY + "namespace") or model.in_namespace, marks[_POLICY + "name"]
    if marks.get(_CLUSTER_POLICY + "name"):
        return "", marks[_CLUSTER_POLICY + "name"]
    return None


def selects(selector: ResourceSelector, resource: ResourceTemplate | Workload) -> bool:
    """Tell whether a resource of the right kind and name is selected; labels do not count beside a name."""
    if selector.namespace and selector.namespace != resource.namespace:
        return False
    if selector.name or selector.label_selector is None:
        return True
    return selector.label_selector.selector.matches(resource.labels)


class PolicySelector(NamedTuple):
    """One selector of a policy."""

    policy: Located[PropagationPolicy]
    selector: ResourceSelector

    @property
    def precision(self) -> int:
        """Precedence of the selector: by name before by labels, both before all of a kind."""
        if self.selector.name:
            return MATCHES_NAME
        return MATCHES_ALL if self.selector.label_selector is None else MATCHES_LABELS


_Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class PolicyIndex:
    """Selectors of policies, by what they select."""

    entries: Mapping[_Key, Sequence[PolicySelector]]
    """Selectors by namespace of the policy (empty for a cluster policy), apiVersion, kind and name (empty for
    all names)."""
    by_name: Mapping[tuple[str, str], Located[PropagationPolicy]]

    @classmethod
    def of(cls, policies: Iterable[Located[PropagationPolicy]]) -> "PolicyIndex":
        """Sort policies by what they select."""
        entries: dict[_Key, list[PolicySelector]] = {}
        by_name: dict[tuple[str, str], Located[PropagationPolicy]] = {}
        for policy in policies:
            by_name[policy.model.place] = policy
            for one in policy.model.spec.resource_selectors:
                key = (policy.model.in_namespace, one.api_version, one.kind, one.name)
                entries.setdefault(key, []).append(PolicySelector(policy, one))
        return cls(entries, by_name)

    def choose(self, resource: ResourceTemplate, claim: tuple[str, str] | None = None) -> ChosenPolicy:
        """Return the policy that applies to a resource.

        `claim`: namespace and name of the policy that it belongs to already; None where it belongs to none.

        A policy of the namespace precedes one of the federation; then the higher ``spec.priority``, then the
        more precise selector (name, labels, kind alone), then the name in alphabetical order. A resource that
        is claimed stays with its policy as long as that selects it, unless a preceding policy preempts
        (``preemption: Always``).
        """
        best: dict[tuple[str, str], PolicySelector] = {}
        for entry in self._entries_for(resource):
            name = entry.policy.model.place
            if name not in best or best[name].precision < entry.precision:
                best[name] = entry
        return _respecting(claim, [entry.policy for entry in sorted(best.values(), key=_rank)])

    def _entries_for(self, resource: ResourceTemplate) -> Iterator[PolicySelector]:
        for scope in dict.fromkeys((resource.namespace, "")):
            for name in (resource.name, ""):
                key = (scope, resource.api_version, resource.kind, name)
                yield from (one for one in self.entries.get(key, ()) if selects(one.selector, resource))


def _rank(entry: PolicySelector) -> tuple[bool, int, int, str]:
    """Return the place of a selecting policy, the first one lowest."""
    policy = entry.policy.model
    return policy.cluster_scoped, -policy.spec.priority, -entry.precision, policy.metadata.name


def _respecting(claim: tuple[str, str] | None, ordered: Sequence[Located[PropagationPolicy]]) -> ChosenPolicy:
    """Return the first policy, or the one that has claimed the resource and is not preempted."""
    if not ordered:
        return ChosenPolicy(None)
    held = next((policy for policy in ordered if policy.model.place == claim), None)
    if held is None or held is ordered[0]:
        return ChosenPolicy(ordered[0])
    preceding = ordered[: ordered.index(held)]
    winner = next((policy for policy in preceding if _preempts(policy.model, held.model)), held)
    return ChosenPolicy(winner, preceding[0] if winner is held else None)


def _preempts(policy: PropagationPolicy, held: PropagationPolicy) -> bool:
    if policy.spec.preemption != "Always":
        return False
    beats_scope = held.cluster_scoped and not policy.cluster_scoped
    return beats_scope or policy.spec.priority > held.spec.priority
