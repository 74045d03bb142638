"""Profile: the order of the objective levels and the measure of the deviation."""

from collections.abc import Iterator, Sequence

from fairlead.manifests.api.own import Profile, ProfileSpec
from fairlead.manifests.validation import Finding, Located
from fairlead.models.errors import Mistake
from fairlead.models.levels import DEFAULT_ORDER, MOVES, NAMES, Deviation

ALL_MOVES = "moves"
"""What stands for all levels of moves together."""


def findings(spec: ProfileSpec) -> Iterator[Finding]:
    """List levels that do not exist or are named twice."""
    named: set[str] = set()
    for position, level in enumerate(spec.levels):
        keys = _keys(level)
        if not keys:
            named_levels = (name for key in DEFAULT_ORDER for name in (key, NAMES[key]))
            known = ", ".join(dict.fromkeys((ALL_MOVES, *named_levels)))
            yield Finding(("levels", position), level, f"is no level; allowed are {known}")
        elif not named.isdisjoint(keys):
            yield Finding(("levels", position), level, "names a level a second time")
        named.update(keys)


def second(profiles: Sequence[Located[Profile]]) -> Iterator[Mistake]:
    """Refuse every profile but the first: a problem has one order of levels."""
    for located in profiles[1:]:
        message = (
            f"is a second Profile; one order of levels counts, and the first is at {profiles[0].source()}"
        )
        yield Mistake(
            located.source("metadata", "name"), "metadata.name", located.model.metadata.name, message
        )


def order(spec: ProfileSpec) -> tuple[str, ...]:
    """Return the keys of all levels: the named ones, then the others in their usual order."""
    named = dict.fromkeys(key for level in spec.levels for key in _keys(level))
    return (*named, *(key for key in DEFAULT_ORDER if key not in named))


def measure(spec: ProfileSpec) -> Deviation:
    """Return the measure of the deviation."""
    return Deviation(spec.deviation) if spec.deviation else Deviation.WEBSTER


def _keys(level: str) -> tuple[str, ...]:
    """Return the keys that a key or a name stands for; ``moves`` stands for all levels of moves."""
    if level in DEFAULT_ORDER:
        return (level,)
    if level == ALL_MOVES:
        return tuple(key for key in DEFAULT_ORDER if key in MOVES)
    return tuple(key for key in DEFAULT_ORDER if NAMES[key] == level)
