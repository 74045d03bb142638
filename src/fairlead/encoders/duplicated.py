"""Duplicated: every candidate holds a full copy."""

from fairlead.encoders.encoding import Because, Encoding
from fairlead.encoders.variables import Place
from fairlead.models.rules import Candidates, Duplicated
from fairlead.models.rules.duplicated import KIND
from fairlead.models.workload import Workload


def encode(_rule: Duplicated, workload: Workload, encoding: Encoding) -> None:
    """Every candidate holds as many replicas as the workload asks for: ``x_c = N`` for every candidate c."""
    candidates = workload.rule(Candidates)
    for name in candidates.names if candidates else ():
        because = Because(KIND, workload.key, name)
        place = Place(workload.key, name)
        encoding.limit(place, lower=workload.replicas, upper=workload.replicas, because=because)
