"""Spread: how many groups of clusters a workload has to stand in."""

from collections import Counter
from itertools import chain

from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding, total
from fairlead.models.rules import Spread, Total
from fairlead.models.rules.spread import KIND
from fairlead.models.workload import Workload


def encode(rule: Spread, workload: Workload, encoding: Encoding) -> None:
    """Keep the number of groups that hold replicas between a minimum and a maximum.

    With v_g = 1 where a cluster of group g holds replicas::

        minimum <= sum v_g <= maximum

    The minimum does not bind a workload that is scaled to 0.
    """
    at_least = rule.minimum if workload.replicas else 0
    if not at_least and (rule.maximum is None or rule.maximum >= len(rule.groups)):
        return
    literals = [encoding.any_used(workload.key, clusters) for clusters in rule.groups.values()]
    because = Origin(KIND, workload.key, None, rule.field)
    if at_least:
        encoding.require_coupled(total(literals) >= at_least, because=because)
        if workload.rule(Total) is not None:
            # Implied by the total; it lets the solver see at once that few replicas reach few groups: one
            # reaches no more than its cluster is in.
            groups_of = Counter(chain.from_iterable(rule.groups.values()))
            encoding.imply(total(literals) <= workload.replicas * max(groups_of.values(), default=0))
    if rule.maximum is not None:
        encoding.require_coupled(total(literals) <= rule.maximum, because=because)
