"""Groups of clusters that a change names: regions, zones, providers and values of labels."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from fairlead.models.errors import UsageError
from fairlead.models.problem import Problem
from fairlead.models.words import listed
from fairlead.solver.simulate.changes import FIELDS, Lose

_NAMED = 5
"""Names that a message lists before it counts the rest."""


def clusters_of(problem: Problem, lose: Lose) -> frozenset[str]:
    """Return the clusters that a loss takes.

    Raises
    ------
    UsageError
        Where no cluster is meant; names values that are called alike.
    """
    groups = groups_of(problem, lose.field)
    if lose.name in groups:
        return groups[lose.name]
    other = next((field for field in FIELDS if lose.name in groups_of(problem, field)), None)
    if other is not None:
        raise UsageError(f"no {_called(lose.field)} {lose.name!r}; did you mean {other}={lose.name}")
    if not groups:
        raise UsageError(f"no cluster tells its {_called(lose.field)}")
    raise UsageError(unknown(_called(lose.field), lose.name, groups))


def groups_of(problem: Problem, field: str) -> Mapping[str, frozenset[str]]:
    """Return the clusters of a problem by region, zone, provider, name or the value of a label."""
    from fairlead.models.topology import groups

    return groups(problem.clusters, field)


def _called(field: str) -> str:
    """Return a field as people call it."""
    return field if field in FIELDS else f"label {field}"


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Say that there is no such thing, and what is called alike, or what there is."""
    names = sorted(known)
    alike = sorted(get_close_matches(name, names, _NAMED))
    if alike:
        return f"no {what} {name!r}; did you mean {' or '.join(alike)}"
    return f"no {what} {name!r}; known: {listed(names, shown=_NAMED) or 'none'}"
