"""Candidates: clusters that are closed to a workload hold none of it."""

from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.variables import Place
from fairlead.models.rules import Candidates
from fairlead.models.rules.candidates import KIND
from fairlead.models.workload import Workload


def encode(rule: Candidates, workload: Workload, encoding: Encoding) -> None:
    """Replicas stand on candidates only, and where nothing new is allowed at most what is held stays.

    ::

        x_c = 0        for every cluster c that is no candidate
        x_c <= held_c  for every candidate c that takes nothing new
    """
    names = set(rule.names)
    for cluster in encoding.problem.clusters:
        if cluster.name not in names:
            most = 0
        elif cluster.name in rule.held_only:
            most = workload.current.get(cluster.name, 0)
        else:
            continue
        because = Origin(KIND, workload.key, cluster.name)
        encoding.limit(Place(workload.key, cluster.name), upper=most, because=because)
