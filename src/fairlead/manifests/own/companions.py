"""WorkloadAffinity: workloads that stand together, or apart."""

from collections.abc import Iterator, Sequence

from fairlead.manifests.api.own import WorkloadAffinity
from fairlead.manifests.companions import scheduling_order
from fairlead.manifests.own.selecting import named
from fairlead.manifests.validation import Located
from fairlead.models.rules import Companionship
from fairlead.models.workload import Workload


def companionships(
    located: Located[WorkloadAffinity], workloads: Sequence[Workload]
) -> Iterator[Companionship]:
    """Yield one rule for the selected workloads, or for every value of the label that groups them.

    A group of a single workload says nothing.
    """
    spec = located.model.spec
    together, source = spec.type == "Affinity", located.source("spec")
    for value, members in sorted(_groups(spec.group_by_label_key, workloads).items()):
        if len(members) > 1:
            keys = tuple(one.key for one in sorted(members, key=scheduling_order))
            label = f": {spec.group_by_label_key}={value}" if spec.group_by_label_key else ""
            yield Companionship(f"{named(located)}{label}", keys, together, source)


def _groups(key: str | None, workloads: Sequence[Workload]) -> dict[str, list[Workload]]:
    """Return workloads by the value of a label; without a key all are one group."""
    found: dict[str, list[Workload]] = {}
    for workload in workloads:
        value = "" if key is None else workload.labels.get(key)
        if value is not None:
            found.setdefault(value, []).append(workload)
    return found
