"""How urgent a workload is: the number in its binding, or what a PriorityClass of the input says."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never

from fairlead.manifests.api.policies import SchedulePrioritySource
from fairlead.manifests.api.workloads import PriorityClass
from fairlead.manifests.join import Subject
from fairlead.manifests.validation import Located
from fairlead.models.statement import Statement
from fairlead.models.words import with_nearest

KIND = "priority"

BUILT_IN: Mapping[str, int] = {
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
}
"""Classes that every API server has."""


@dataclass(frozen=True, slots=True)
class Priorities:
    """The priority classes of the input.

    Parameters
    ----------
    default
        Priority of pods that name no class.
    """

    values: Mapping[str, int]
    default: int

    @classmethod
    def of(cls, classes: Iterable[Located[PriorityClass]]) -> "Priorities":
        """Read priority classes; of several for all pods the lowest counts, as in Kubernetes."""
        known = [one.model for one in classes]
        values = {**BUILT_IN, **{one.metadata.name: one.value for one in known}}
        return cls(values, min((one.value for one in known if one.global_default), default=0))

    def of_workload(self, subject: Subject, key: str) -> tuple[int, tuple[Statement, ...]]:
        """Return the priority of a workload, and what could not be resolved.

        What a policy of the input says counts before the number in the binding, which stands for the policy
        as it was; a class that is not in the input leaves that number, or 0.
        """
        stated = subject.binding.model.spec.schedule_priority if subject.binding else None
        written = stated.priority if stated else None
        policy = subject.policy
        source = policy.model.spec.schedule_priority if policy else None
        if policy is None or source is None:
            return written or 0, ()
        name = _class_name(subject, source)
        if name == "" and source.priority_class_source == "PodPriorityClass":
            return self.default, ()
        if name in self.values:
            return self.values[name], ()
        if written is not None:
            return written, ()
        shown = with_nearest([name], self.values) if name else "none"
        text = f"{key} counts as of priority 0: its priority class is {shown}, not in the input"
        where = policy.source("spec", "schedulePriority")
        return 0, (Statement(KIND, text, where, key),)


def _class_name(subject: Subject, source: SchedulePrioritySource) -> str:
    """Return the class that a policy names, or that the pods name; empty where none is."""
    match source.priority_class_source:
        case "KubePriorityClass" | "FederatedPriorityClass":
            return source.priority_class_name
        case "PodPriorityClass":
            if subject.template is not None:
                return subject.template.model.spec.template.spec.priority_class_name
            needs = subject.binding.model.spec.replica_requirements if subject.binding else None
            return needs.priority_class_name if needs else ""
        case _:
            assert_never(source.priority_class_source)
