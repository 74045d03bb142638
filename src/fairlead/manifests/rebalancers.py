"""Which workloads a WorkloadRebalancer asks to be placed afresh."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from fairlead.manifests.api.rebalancers import ObjectReference, WorkloadRebalancer
from fairlead.manifests.join import Identity, Subject
from fairlead.manifests.validation import Located
from fairlead.models.statement import Statement

KIND = "rebalancer"

_NOT_YET_CREATED = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Rebalancing:
    """When each workload was last asked to be placed afresh.

    Parameters
    ----------
    asked
        Latest creation of a rebalancer that names a workload. One that says no time is not created yet, and
        later than everything.
    """

    asked: Mapping[Identity, datetime]

    @classmethod
    def of(cls, rebalancers: Iterable[Located[WorkloadRebalancer]]) -> "Rebalancing":
        """Return what some rebalancers ask for."""
        asked: dict[Identity, datetime] = {}
        for rebalancer in rebalancers:
            created = rebalancer.model.metadata.creation_timestamp or _NOT_YET_CREATED
            for reference in rebalancer.model.spec.workloads:
                named = identity_of(reference)
                asked[named] = max(created, asked.get(named, created))
        return cls(asked)

    def wants(self, subject: Subject) -> bool:
        """Tell whether a workload was asked to be placed afresh after it was scheduled last, if ever."""
        asked = self.asked.get(subject.identity)
        if asked is None:
            return False
        last = subject.binding.model.status.last_scheduled_time if subject.binding else None
        return last is None or asked > last


def identity_of(reference: ObjectReference) -> Identity:
    """Return the workload that a reference names; the version of its API does not count."""
    group = reference.api_version.rpartition("/")[0]
    return Identity(group, reference.kind, reference.namespace, reference.name)


def unknown(
    rebalancers: Iterable[Located[WorkloadRebalancer]], subjects: Sequence[Subject]
) -> Iterator[Statement]:
    """Say which workloads are to be rebalanced and are not in the input."""
    known = {subject.identity for subject in subjects}
    for rebalancer in rebalancers:
        for position, reference in enumerate(rebalancer.model.spec.workloads):
            if identity_of(reference) in known:
                continue
            named = "/".join(filter(None, (reference.namespace, reference.name)))
            meta = rebalancer.model.metadata
            text = f"{meta.name} rebalances {reference.kind} {named}, which is not in the input"
            yield Statement(KIND, text, rebalancer.source("spec", "workloads", position))
