"""What a dispenser answers for a whole problem."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fairlead.models.placement import Placement


@dataclass(frozen=True, slots=True)
class Dispensed:
    """The answer of a dispenser.

    Parameters
    ----------
    placement
        Replicas by workload and cluster; after a failure what is left behind.
    reasons
        Categories of failure by workload, such as ``Unschedulable``, in the order in which they happened.
    groups
        Affinity group that was chosen by workload, where it was one.
    selected
        Clusters that get the manifest by workload, those without replicas among them, where the dispenser
        tells.
    """

    placement: Placement
    reasons: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    selected: Mapping[str, frozenset[str]] = field(default_factory=dict)
