"""Rules and warnings with file and line, from what a placement means."""

from collections.abc import Iterator, Mapping, Sequence

from fairlead.manifests.division import Declaration, ResolvedBounds
from fairlead.manifests.facts import Declared
from fairlead.manifests.standing import Ground, Standing
from fairlead.models.rules import Candidates
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.models.words import with_nearest


def candidates_of(standing: Standing, declared: Declared) -> Candidates:
    """Turn grounds into exclusions with file and line."""
    known: dict[int, Exclusion] = {}

    def exclusion(ground: Ground) -> Exclusion:
        found = known.get(id(ground))
        if found is None:
            where = ground.where if isinstance(ground.where, Source) else declared.source(ground.where)
            found = known[id(ground)] = Exclusion(
                ground.reason, where, ground.taints, ground.spoiling, ground.cause
            )
        return found

    excluded, held_only = standing.excluded, standing.held_only
    return Candidates(
        standing.names,
        {name: exclusion(excluded[name]) for name in sorted(excluded)},
        {name: exclusion(held_only[name]) for name in sorted(held_only)},
    )


def bounds_at_lines(bounds: Mapping[str, Declaration], declared: Declared) -> Mapping[str, Bound]:
    """Turn declarations into bounds with file and line."""
    known: dict[int, Bound] = {}
    for declaration in bounds.values():
        if id(declaration) not in known:
            known[id(declaration)] = Bound(declaration.replicas, declared.source(declaration.path))
    return {name: known[id(declaration)] for name, declaration in bounds.items()}


def without_effect(
    bounds: ResolvedBounds, standings: Sequence[Standing], declared: Declared, present: frozenset[str]
) -> Iterator[Statement]:
    """Name bounds on clusters that cannot be chosen, in whatever affinity group, or are not there.

    Parameters
    ----------
    bounds
        The bounds, as resolved against the first affinity group.
    standings
        How clusters stand in every affinity group; the reasons of the first one are told.
    declared
        Where the bounds were declared.
    present
        Names of all clusters.
    """
    excluded = standings[0].excluded
    for path, matched in bounds.idle:
        closed = [name for name in matched if all(name in each.excluded for each in standings)]
        told = listed([f"{name} ({excluded[name].reason})" for name in closed])
        if closed:
            text = f"{declared.name}: the bound has no effect on {told}: not among the candidates"
            yield Statement("bounds", text, declared.source(path))
    for path, unknown in bounds.absent:
        text = (
            f"{declared.name}: the bound has no effect on {with_nearest(unknown, present)}: not in the input"
        )
        yield Statement("bounds", text, declared.source(path))


def listed(names: Sequence[str]) -> str:
    """Return the first three names, and how many more there are."""
    rest = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + rest
