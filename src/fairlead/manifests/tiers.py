"""Overflow tiers: which candidates stand in which tier, and which ways of dividing use only the first."""

from collections.abc import Mapping, Sequence

from fairlead.manifests.api.placement import Placement
from fairlead.manifests.division import is_divided, is_static
from fairlead.manifests.documents import Path
from fairlead.manifests.groups import DeclaredGroup
from fairlead.manifests.standing import Ground, Standing
from fairlead.models.cluster import Cluster
from fairlead.models.rules.candidates import Cause

TieredNames = Sequence[tuple[frozenset[str], Path]]
"""Candidates by tier, with the path of the tier."""


def tiered(group: DeclaredGroup, names: Sequence[str], clusters: Mapping[str, Cluster]) -> TieredNames:
    """Return the candidates of every tier that has any; empty where there is only one declared."""
    if len(group.tiers) == 1:
        return ()
    candidates = frozenset(names)
    found = zip(group.tiers_of(clusters), group.tiers, strict=True)
    return tuple((inside & candidates, tier.path) for inside, tier in found if inside & candidates)


def within_tiers(
    standing: Standing, group: DeclaredGroup, placement: Placement, clusters: Mapping[str, Cluster]
) -> Standing:
    """Close the later tiers to workloads that do not use them.

    Full copies and static weights need nothing beyond the first tier that has candidates: it takes all there
    is.
    """
    if is_divided(placement) and not is_static(placement):
        return standing
    who = "static weights do" if is_divided(placement) else "Duplicated does"
    reason = f"is in a later overflow tier, which {who} not use"
    later = tiered(group, standing.names, clusters)[1:]
    return standing.without(
        {
            name: ground
            for inside, path in later
            for ground in (Ground(reason, path, cause=Cause.BESIDE_OTHERS),)
            for name in inside
        }
    )
