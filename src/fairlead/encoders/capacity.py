"""Capacity: what the workloads ask of a cluster together."""

from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.variables import Place
from fairlead.models.cluster import Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity
from fairlead.models.rules.capacity import KIND, demands, graded_room


def encode(_rule: Capacity, problem: Problem, encoding: Encoding) -> None:
    """No cluster is asked for more of a resource than it can give.

    For every cluster c and resource r, over workloads a of which one replica takes d_acr there::

        sum d_acr x_ac <= limit_cr

    Every single workload gives ``x_ac <= floor(limit_cr / d_acr)``. The row over several is divided by the
    greatest common divisor of its requests, ``sum (d_acr / g) x_ac <= floor(limit_cr / g)``, and left out
    where it holds whatever the placement. Clusters of unknown capacity have no rows. Where a cluster tells
    the grades of its nodes, ``x_ac`` is at most what fits onto them (`graded_room`).

    A resource of a cluster that gives way has its row only, with one slack in steps of g.
    """
    for cluster in problem.clusters:
        if cluster.free is not None:
            _encode_cluster(problem, cluster, encoding)
        if cluster.grades:
            _encode_grades(problem, cluster, encoding)


def _encode_cluster(problem: Problem, cluster: Cluster, encoding: Encoding) -> None:
    """Add the rows of one cluster, the bounds of single workloads first."""
    rows: dict[str, list[tuple[Place, int]]] = {}
    for workload in problem.workloads:
        place = Place(workload.key, cluster.name)
        if encoding.variables.range(place).upper > 0:
            for resource, need in demands(workload, cluster).items():
                rows.setdefault(resource, []).append((place, need))
    because = Origin(KIND, None, cluster.name)
    loose = {each for each in rows if encoding.gives(gives_way(cluster.name, each), "most")}
    for resource, row in rows.items():
        limit = problem.limits.get((cluster.name, resource), 0)
        for place, need in row if resource not in loose else ():
            alone = Origin(KIND, place.workload, cluster.name, resource) if len(row) == 1 else because
            encoding.limit(place, upper=limit // need, because=alone)
    for resource, row in rows.items():
        if resource in loose or len(row) > 1:
            limit = problem.limits.get((cluster.name, resource), 0)
            asking = gives_way(cluster.name, resource) if resource in loose else because
            encoding.require_room(row, limit, because=asking)


def gives_way(cluster: str, resource: str) -> Origin:
    """Return the name of a cluster's resource where it may give way: by itself, for all workloads."""
    return Origin(KIND, None, cluster, resource)


def _encode_grades(problem: Problem, cluster: Cluster, encoding: Encoding) -> None:
    """Bound every workload by what fits onto the nodes of a cluster."""
    for workload in problem.workloads:
        room = graded_room(workload, cluster)
        if room is not None:
            because = Origin(KIND, workload.key, cluster.name, "grades")
            encoding.limit(Place(workload.key, cluster.name), upper=room, because=because)
