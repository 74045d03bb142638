"""Spread constraints: which clusters they leave out, and how the candidates are grouped."""

from collections.abc import Iterable, Iterator, Mapping

from fairlead.manifests.api.placement import Placement, SpreadConstraint
from fairlead.manifests.documents import Path
from fairlead.models.cluster import Cluster
from fairlead.models.rules import Spread

_PROPERTIES = {"region": "region", "provider": "provider", "zone": "zones"}


def by(constraint: SpreadConstraint) -> str:
    """Return what a constraint groups by: a field (``cluster`` if it says nothing) or the key of a label."""
    return constraint.spread_by_label or constraint.spread_by_field or "cluster"


def path_of(position: int) -> Path:
    """Return the path of a constraint inside the placement."""
    return ("spreadConstraints", position)


def lacks(cluster: Cluster, placement: Placement) -> tuple[str, Path] | None:
    """Return why a cluster is in no group of some constraint, as Karmada words it; None where it is in all.

    Returns
    -------
    tuple or None
        The end of the sentence "1 cluster(s) ...", and the path of the constraint.
    """
    for position, constraint in enumerate(placement.spread_constraints):
        if _values(cluster, constraint):
            continue
        if constraint.spread_by_label:
            return f"did not have label {constraint.spread_by_label}", path_of(position)
        return f"did not have {_PROPERTIES[by(constraint)]} property", path_of(position)
    return None


def _values(cluster: Cluster, constraint: SpreadConstraint) -> tuple[str, ...]:
    """Return the groups of a constraint that a cluster is in; several where it lies in several zones."""
    if constraint.spread_by_label:
        value = cluster.labels.get(constraint.spread_by_label)
    elif by(constraint) == "zone":
        return cluster.zones
    else:
        field = by(constraint)
        value = {"region": cluster.region, "provider": cluster.provider}.get(field, cluster.name)
    return (value,) if value else ()


def spreads(
    placement: Placement, names: Iterable[str], clusters: Mapping[str, Cluster]
) -> Iterator[tuple[Spread, Path]]:
    """Yield every spread constraint over the candidates as a rule, with its path.

    A minimum that is not given is 1, a maximum that is not given (or 0) means no limit.

    Parameters
    ----------
    placement
        The constraints.
    names
        The candidates.
    clusters
        All clusters by name.
    """
    candidates = tuple(names)
    for position, constraint in enumerate(placement.spread_constraints):
        groups: dict[str, set[str]] = {}
        for name in candidates:
            for value in _values(clusters[name], constraint):
                groups.setdefault(value, set()).add(name)
        frozen = {value: frozenset(groups[value]) for value in sorted(groups)}
        fewest, most = max(1, constraint.min_groups), constraint.max_groups or None
        yield Spread(by(constraint), frozen, fewest, most), path_of(position)
