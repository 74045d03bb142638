"""Aggregated: replicas stand on as few clusters as possible."""

from fairlead.encoders.costs import LinearCost, Origin
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.variables import Place
from fairlead.models.levels import CLUSTERS
from fairlead.models.placement import Placement
from fairlead.models.rules import Aggregated
from fairlead.models.rules.aggregated import KIND
from fairlead.models.workload import Workload


def encode(_rule: Aggregated, workload: Workload, encoding: Encoding) -> None:
    """With u_c = 1 where cluster c holds replicas, minimise ``sum u_c``."""
    places = (Place(workload.key, cluster.name) for cluster in encoding.problem.clusters)
    open_to = [place for place in places if encoding.variables.range(place).upper > 0]
    terms = [(encoding.used(*place), 1) for place in open_to]

    def clusters(placement: Placement) -> int:
        return len(placement.of(workload.key))

    encoding.prefer(CLUSTERS, [LinearCost(terms, 0, clusters)], because=Origin(KIND, workload.key))
