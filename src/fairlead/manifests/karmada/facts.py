"""Facts of a workload from template and binding: replicas, requests, current placement."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from fairlead.manifests.api import KINDS
from fairlead.manifests.api.karmada import ResourceBinding
from fairlead.manifests.api.policies import Placement
from fairlead.manifests.api.propagation import PropagationPolicy
from fairlead.manifests.api.workloads import Workload as Template
from fairlead.manifests.join import Subject, being_deleted, claimed_by
from fairlead.manifests.karmada.requests import (
    held,
    in_sets,
    pod_requests,
    requested,
    undivided,
    units,
    wanted,
)
from fairlead.manifests.karmada.specified import totals_of
from fairlead.manifests.karmada.totals import NO_TOTALS, Totals
from fairlead.manifests.validation import Located
from fairlead.manifests.yaml.documents import Document, Path, field_name
from fairlead.manifests.yaml.quick import as_text
from fairlead.models.source import Source
from fairlead.models.statement import NOT_UNDERSTOOD, SUSPENDED, Statement
from fairlead.models.words import counted, nearest
from fairlead.models.workload import Workload

_WITH_REPLICAS = frozenset(kind for (_, kind), read in KINDS.items() if read.row == "workloads")
"""Kinds that have replicas also where a binding leaves a 0 out."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A placement and where it was declared."""

    placement: Placement
    document: Document
    """The policy, or the binding that holds a copy."""
    path: Path
    """Path of the placement in the document."""
    name: str
    """Policy or binding that declared it, in words, such as ``policy default/nginx``."""
    totals: Totals = NO_TOTALS
    """Totals of sets of clusters, by the placement and what stands around it."""
    reweighed: Mapping[str, int] = field(default_factory=dict)
    """Static weights by cluster that are tried in the place of those that the placement states."""

    def source(self, path: Path = ()) -> Source:
        """Return file and line of a field of the placement."""
        return self.document.source((*self.path, *path))

    def remark(self, topic: str, path: Path, told: str, inside: Path = ()) -> Statement:
        """Return a remark on a field of the placement: who declared it, the field, the words.

        `inside`: what of the field has the line; empty for the field itself.
        """
        text = f"{self.name}: {field_name((*self.path, *path))} {told}"
        return Statement(topic, text, self.source((*path, *inside)))

    def text(self, *names: str) -> str:
        """Return some fields of the placement as text that is equal for equal values."""
        return as_text([self.written.get(name) for name in names])

    @property
    def written(self) -> Mapping[str, Any]:
        """The placement as it is written; empty where it is not."""
        return self.document.value(self.path) or {}


def declared_for(subject: Subject) -> Declared | None:
    """Return the placement of the policy in the input, else the copy in the binding, else None.

    That of a workload of several components divides nothing: it stands as whole sets.
    """
    found = as_declared(subject)
    if found is None or subject.binding is None or not in_sets(subject.binding.model.spec):
        return found
    whole = found.placement.model_copy(update={"replica_scheduling": None, "replicas": None})
    return replace(found, placement=whole, document=undivided(found.document, found.path), totals=NO_TOTALS)


def as_declared(subject: Subject) -> Declared | None:
    """Return the placement as it was declared; None where none was."""
    if subject.policy is not None:
        policy = subject.policy
        name = named(policy.model.place)
        spec = policy.model.spec
        totals = totals_of(spec.placement, policy.document, policy.model.metadata, spec.replicas)
        return Declared(spec.placement, policy.document, ("spec", "placement"), name, totals)
    binding = subject.binding
    if binding is None or binding.model.spec.placement is None:
        return None
    claim = claimed_by(subject)
    meta = binding.model.metadata
    name = named(claim) if claim else f"binding {'/'.join(filter(None, (meta.namespace, meta.name)))}"
    placement = binding.model.spec.placement
    totals = totals_of(placement, binding.document, meta)
    return Declared(placement, binding.document, ("spec", "placement"), name, totals)


def named(policy: tuple[str, str]) -> str:
    """Return a policy's namespace and name in words."""
    namespace, name = policy
    return f"policy {namespace}/{name}" if namespace else f"cluster policy {name}"


def left_out(
    subject: Subject, key: str, declared: Declared | None, policies: Iterable[Located[PropagationPolicy]] = ()
) -> Statement | None:
    """Say why a subject is not placed; None where it is.

    `declared`: what `declared_for` says of it; `policies`: among which one is looked for that nearly selects
    it.

    A workload without any placement is not propagated by Karmada. One whose scheduling is suspended, or that
    is being deleted, keeps what it has, so there is nothing to decide; what it holds counts as taken.
    """
    if subject.unread:
        first, *others = (mistake for one in subject.unread for mistake in one.mistakes)
        more = f", and {counted(len(others), 'more mistake')}" if others else ""
        binds = subject.unread[0].located is not None and isinstance(
            subject.unread[0].located.model, ResourceBinding
        )
        what = "binding" if binds else "federated object"
        text = f"{key} is left out: its {what} cannot be understood: {first.sentence}{more}"
        return Statement(NOT_UNDERSTOOD, text, first.source, key)
    for located, where in ((subject.binding, "binding"), (subject.policy, "policy")):
        suspension = located.model.spec.suspension if located else None
        if located and suspension and suspension.scheduling:
            text = f"{key} is left out: its {where} suspends scheduling, so it keeps the placement it has"
            return Statement(SUSPENDED, text, located.source("spec", "suspension", "scheduling"), key)
    deleted = being_deleted(subject.binding, key, "its binding") or being_deleted(subject.template, key)
    if deleted is not None:
        return deleted
    if declared is None and not follows(subject):
        text = f"{key} is left out: no policy in the input selects it, and no binding brings a placement"
        text += _near_miss(subject, policies)
        return Statement("left-out", text, source_of(subject), key)
    return None


def _near_miss(subject: Subject, policies: Iterable[Located[PropagationPolicy]]) -> str:
    """Say which policy nearly selects a subject: another namespace, version or spelling; empty for none."""
    _, kind, namespace, name = subject.identity
    alike: dict[str, Located[PropagationPolicy]] = {}
    for policy in sorted(policies, key=lambda one: one.model.place):
        who = named(policy.model.place)
        for one in policy.model.spec.resource_selectors:
            reached = one.namespace or policy.model.in_namespace
            if not one.name or one.kind != kind:
                continue
            if one.name != name:
                alike.setdefault(one.name, policy)
            elif reached not in ("", namespace):
                return f"; {who} selects {kind} {name} of namespace {reached} ({policy.source()})"
            elif one.api_version != subject.api_version:
                return f"; {who} selects {kind} {name} of {one.api_version} ({policy.source()})"
    near = nearest(name, alike)
    if not near:
        return ""
    return f"; {named(alike[near[0]].model.place)} selects {kind} {near[0]} ({alike[near[0]].source()})"


def follows(subject: Subject) -> bool:
    """Tell whether a subject goes where others go that require it, and has no placement of its own."""
    binding = subject.binding.model.spec if subject.binding else None
    return binding is not None and bool(binding.required_by) and declared_for(subject) is None


def without_replicas(subject: Subject) -> bool:
    """Tell whether a subject has no replicas at all, as a ConfigMap; it says nothing that only pods have."""
    if subject.template is not None or subject.binding is None or subject.identity.kind in _WITH_REPLICAS:
        return False
    spec = subject.binding.model.spec
    return spec.replicas is None and spec.replica_requirements is None and not spec.components


def source_of(subject: Subject) -> Source:
    """Return where a subject was declared: its template, else its binding."""
    known: Located[Template] | Located[ResourceBinding] | None = subject.template or subject.binding
    return known.source() if known else Source("<dict>", 0)


def read_workload(subject: Subject, key: str) -> Workload:
    """Return the workload of a subject, without rules and the name of what declares them.

    Replicas, requests and what runs where come from the binding; replicas and requests that it does not
    state, from the template. Without either there are no replicas and no requests.
    """
    bound = subject.binding.model if subject.binding else None
    binding = bound.spec if bound else None
    priority = binding.schedule_priority if binding else None
    template = subject.template.model.spec if subject.template else None
    replicas = wanted(binding) if binding else None
    if template and replicas is None:
        replicas = template.replicas
    return Workload(
        key=key,
        name=subject.identity.name,
        replicas=replicas or 0,
        namespace=subject.identity.namespace,
        api_version=subject.api_version,
        kind=subject.identity.kind,
        requests=units(requests_of(subject) or {}),
        current=held(binding) if binding else {},
        labels=dict(subject.labels),
        priority=priority.priority if priority else 0,
        fresh=_is_fresh(bound) if bound else False,
        observed=bound.status.observed if bound else None,
        without_replicas=without_replicas(subject),
        source=source_of(subject),
        replicas_source=replicas_source(subject),
    )


def requests_of(subject: Subject) -> Mapping[str, Fraction] | None:
    """Return the exact request per replica; the binding counts before the template."""
    stated = requested(subject.binding.model.spec) if subject.binding else None
    if stated is not None:
        return stated
    if subject.template is None:
        return None
    return pod_requests(subject.template.model.spec.template.spec) or None


def replicas_source(subject: Subject) -> Source:
    """Return where the number of replicas was declared."""
    if subject.binding and (wanted(subject.binding.model.spec) is not None or not subject.template):
        spec = subject.binding.model.spec
        counts = in_sets(spec) or (spec.replicas is None and spec.components)
        return subject.binding.source("spec", "components" if counts else "replicas")
    if subject.template is None:
        return source_of(subject)
    return subject.template.source("spec", subject.template.model.spec.stated_in)


def _is_fresh(binding: ResourceBinding) -> bool:
    asked, last = binding.spec.reschedule_triggered_at, binding.status.last_scheduled_time
    return asked is not None and last is not None and asked > last


def evictions(subject: Subject) -> Mapping[str, Source]:
    """Return the clusters that a subject is leaving, with the place where that stands."""
    binding = subject.binding
    if binding is None:
        return {}
    return {
        task.from_cluster: binding.source("spec", "gracefulEvictionTasks", position, "fromCluster")
        for position, task in enumerate(binding.model.spec.graceful_eviction_tasks)
    }
