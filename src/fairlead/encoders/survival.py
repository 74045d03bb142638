"""Survival: enough replicas are left when any one group of clusters is lost, or several at once."""

from collections.abc import Iterator
from itertools import combinations, product

from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding, total
from fairlead.models.rules import Survival
from fairlead.models.rules.survival import KIND, Loss
from fairlead.models.workload import Workload


def encode(rule: Survival, workload: Workload, encoding: Encoding) -> None:
    """Keep ``sum x_c >= minimum`` over all clusters c outside g, whatever group g is lost.

    Of several losses at once, such as two regions or a region and a cluster, g is the union of any of them.
    Clusters that are no candidates are lost with their group too. A group without candidates needs no row:
    nothing stands in it.

    Does not bind a workload that is scaled to 0.
    """
    if not workload.replicas:
        return
    names = [cluster.name for cluster in encoding.problem.clusters]
    for detail, clusters in unions(rule):
        left = total(encoding.replicas(workload.key, name) for name in names if name not in clusters)
        because = Origin(KIND, workload.key, None, detail)
        encoding.require_coupled(left >= rule.minimum, because=because)


def unions(rule: Survival) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the sets of clusters that are lost together, each once, with what their row is called."""
    if not rule.at_once:
        yield from ((f"{rule.field} {group}", inside) for group, inside in _lost(rule.losses[0]).items())
        return
    if any(loss.groups for loss in rule.losses):
        ways = [_at_once(loss) for loss in rule.losses]
        every = dict.fromkeys(frozenset[str]().union(*way) for way in product(*ways))
        yield from ((rule.name, clusters) for clusters in every)


def _at_once(loss: Loss) -> list[frozenset[str]]:
    """Return the clusters lost with any so many groups; with all of them where there are not so many."""
    groups = list(_lost(loss).values())
    count = min(loss.count, len(groups))
    return [frozenset[str]().union(*some) for some in combinations(groups, count)]


def _lost(loss: Loss) -> dict[str, frozenset[str]]:
    """Return all clusters that are lost with a group of candidates, by group."""
    return {group: some | loss.everywhere.get(group, frozenset()) for group, some in loss.groups.items()}
