"""Companionship: workloads that stand on the same clusters, or on none in common."""

from itertools import combinations

from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.variables import Place
from fairlead.models.problem import Problem
from fairlead.models.rules import Companionship
from fairlead.models.rules.companionship import KIND
from fairlead.models.workload import Workload


def encode(rule: Companionship, problem: Problem, encoding: Encoding) -> None:
    """Keep the members of a group together or apart, workloads that are scaled to 0 left aside.

    With u_ac = 1 where workload a stands on cluster c, for every pair of an earlier a and a later b::

        together   u_bc <= u_ac
        apart      u_ac + u_bc <= 1
    """
    known = problem.workload_by_key
    members = [known[key] for key in rule.members if key in known and known[key].replicas]
    for earlier, later in combinations(members, 2):
        for cluster in problem.clusters:
            if not _can_stand(later, cluster.name, encoding):
                continue
            because = Origin(KIND, later.key, cluster.name, rule.name)
            here = encoding.used(later.key, cluster.name)
            if _can_stand(earlier, cluster.name, encoding):
                there = encoding.used(earlier.key, cluster.name)
                kept = here <= there if rule.together else here + there <= 1
                encoding.require_coupled(kept, because=because)
            elif rule.together:
                encoding.require_coupled(here == 0, because=because)


def _can_stand(workload: Workload, cluster: str, encoding: Encoding) -> bool:
    return encoding.variables.range(Place(workload.key, cluster)).upper > 0
