"""KubeAdmiral's scheduler as a dispenser: greedy, faults included.

A model of kubewharf/kubeadmiral at commit 19de01c (March 2025) with default plugins and feature gates,
checked against recorded answers of the real program. Each module names the faults that it reproduces.

`schedule_unit` asks the whole pipeline for one object, `place` for all workloads of a problem.
"""

from fairlead.solver.dispensers.kubeadmiral.scheduling import ScheduledUnit, place, schedule_unit

__all__ = ["ScheduledUnit", "place", "schedule_unit"]
