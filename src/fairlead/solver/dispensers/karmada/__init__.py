"""What the real Karmada scheduler answers, faults included.

A model of ``karmada-scheduler`` v1.19 with its default feature gates: filters, capacity estimates, affinity
groups, selection by spread constraints and division of replicas, in the order in which the scheduler takes
them.
"""

from fairlead.solver.dispensers.karmada.inputs import (
    BindingInput,
    MemberCluster,
    ResourceModel,
    ResourceSummary,
)
from fairlead.solver.dispensers.karmada.placement import PlacementSpec
from fairlead.solver.dispensers.karmada.placement_document import read_placement
from fairlead.solver.dispensers.karmada.results import Failure, Scheduled
from fairlead.solver.dispensers.karmada.scheduling import schedule

__all__ = [
    "BindingInput",
    "Failure",
    "MemberCluster",
    "PlacementSpec",
    "ResourceModel",
    "ResourceSummary",
    "Scheduled",
    "read_placement",
    "schedule",
]
