"""What KubeAdmiral's scheduler answers: a greedy dispenser, faults included.

A model of kubewharf/kubeadmiral at commit 19de01c (March 2025) with default plugins and feature gates,
checked against recorded answers of the real program. Each module names the faults that it reproduces.

`plan` asks one of the two planners, `schedule` the whole pipeline, both with parsed manifests under the
names that KubeAdmiral gives them. `schedule_unit`, `spread` and `binpack` take the typed inputs of
`fairlead.solver.dispensers.kubeadmiral.inputs` instead.
"""

from fairlead.solver.dispensers.kubeadmiral.entry import plan, read_unit, schedule
from fairlead.solver.dispensers.kubeadmiral.scheduling import Scheduled, schedule_unit

__all__ = ["Scheduled", "plan", "read_unit", "schedule", "schedule_unit"]
