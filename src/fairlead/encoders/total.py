"""Total: the replicas of a divided workload add up."""

from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding, total
from fairlead.models.rules import Total
from fairlead.models.rules.total import KIND
from fairlead.models.workload import Workload


def encode(_rule: Total, workload: Workload, encoding: Encoding) -> None:
    """All replicas are placed, and no more: ``sum x_c = N`` over all clusters c."""
    replicas = [encoding.replicas(workload.key, cluster.name) for cluster in encoding.problem.clusters]
    encoding.require(total(replicas) == workload.replicas, because=Origin(KIND, workload.key))
