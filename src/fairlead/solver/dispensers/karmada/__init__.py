"""The real Karmada scheduler as a dispenser, faults included.

A model of ``karmada-scheduler`` v1.19 with its default feature gates: filters, capacity estimates, affinity
groups, selection by spread constraints and division of replicas, in the order in which the scheduler takes
them.
"""

from fairlead.solver.dispensers.karmada.binding import BindingInput, Failure, ScheduledBinding
from fairlead.solver.dispensers.karmada.scheduling import place, schedule

__all__ = ["BindingInput", "Failure", "ScheduledBinding", "place", "schedule"]
