"""Settings of the whole problem: Profile, the order and measure of the levels, and FailureRates."""

from collections.abc import Iterator, Sequence

from fairlead.manifests.api.own import FailureRates, Profile, ProfileLevel, ProfileSpec
from fairlead.manifests.extensions import Extensions
from fairlead.manifests.findings import Finding
from fairlead.manifests.own.sets import Remark, named
from fairlead.manifests.validation import Located
from fairlead.models import levels
from fairlead.models.cluster import Cluster, FailureRate, groups
from fairlead.models.errors import Mistake
from fairlead.models.words import with_nearest


def findings(spec: ProfileSpec, extensions: Extensions) -> Iterator[Finding]:
    """List levels that do not exist or are named twice."""
    named: set[str] = set()
    for position, level in enumerate(spec.levels):
        field = ("levels", position)
        keys = _keys(level, spec, extensions)
        if not keys:
            outside = (name for each in extensions.levels() for name in (each.key, each.title))
            ours = (name for key in levels.DEFAULT_ORDER for name in (key, levels.NAMES[key]))
            known = ", ".join(dict.fromkeys((*levels.ALL, *ours, *outside)))
            yield Finding(field, level.name, f"is not a level; allowed are {known}")
        elif not named.isdisjoint(keys):
            yield Finding(field, level.name, "names a level a second time")
        elif not set(keys).isdisjoint(spec.leave_out):
            yield Finding(field, level.name, "is left out by leaveOut")
        named.update(keys)


def second(profiles: Sequence[Located[Profile]]) -> Iterator[Mistake]:
    """Refuse every profile but the first: a problem has one order of levels."""
    for located in profiles[1:]:
        message = (
            f"is a second Profile; one order of levels counts, and the first is at {profiles[0].source()}"
        )
        yield located.document.mistake(("metadata", "name"), message, located.model.metadata.name)


def order(spec: ProfileSpec, extensions: Extensions) -> tuple[str, ...]:
    """Return the keys of all levels that count: the named ones, then the others in their usual order."""
    named = dict.fromkeys(key for level in spec.levels for key in _keys(level, spec, extensions))
    keys = (*named, *(key for key in levels.DEFAULT_ORDER if key not in named))
    return tuple(key for key in keys if key not in spec.leave_out)


def tolerances(spec: ProfileSpec, extensions: Extensions) -> dict[str, levels.Tolerance]:
    """Return the tolerance of levels, by key."""
    found: dict[str, levels.Tolerance] = {}
    for level in spec.levels:
        tolerance = None if level.tolerance is None else levels.tolerance_of(level.tolerance)
        if tolerance is not None:
            found |= dict.fromkeys(_keys(level, spec, extensions), tolerance)
    return found


def measure(spec: ProfileSpec) -> levels.Deviation:
    """Return the measure of the deviation."""
    return levels.Deviation(spec.deviation) if spec.deviation else levels.Deviation.WEBSTER


def _keys(level: ProfileLevel, spec: ProfileSpec, extensions: Extensions) -> tuple[str, ...]:
    """Return the keys that a level stands for.

    ``moves`` stands for all levels of moves, ``deviation`` for that from dynamic weights as well, unless the
    profile names that one, too. What is no level of ours may be one of an extension.
    """
    keys = tuple(key for key in levels.keys_of(level.name) if key in levels.DEFAULT_ORDER)
    if not keys and (outside := extensions.level(level.name)):
        return (outside.key,)
    if level.name != levels.DEVIATION.key:
        return keys
    others = {key for other in spec.levels if other is not level for key in levels.keys_of(other.name)}
    return tuple(key for key in keys if key == levels.DEVIATION.key or key not in others)


def rates_of(manifests: Sequence[Located[FailureRates]]) -> tuple[FailureRate, ...]:
    """Return every rate that is given, one for each group that is named."""
    return tuple(rate for located in manifests for rate, _ in _rates(located))


def rates_twice(manifests: Sequence[Located[FailureRates]]) -> Iterator[Mistake]:
    """Refuse a second rate of one group, or of all others of a field."""
    known: dict[tuple[str, str | None], FailureRate] = {}
    for located in manifests:
        for rate, field in _rates(located):
            first = known.setdefault((rate.field, rate.name), rate)
            if first is not rate and rate.source is not None:
                message = f"has a rate already, at {first.source}; a group has one"
                yield Mistake(rate.source, field, rate.name or rate.field, message)


def unknown_groups(
    manifests: Sequence[Located[FailureRates]], clusters: Sequence[Cluster]
) -> Iterator[Remark]:
    """Tell of groups that the input does not have."""
    for located in manifests:
        for rate, _ in _rates(located):
            known = groups(clusters, rate.field)
            if rate.name is not None and rate.name not in known and rate.source is not None:
                who = f"{rate.field} {with_nearest([rate.name], known)}"
                yield Remark(f"{named(located)} names {who}, not in the input", rate.source)


def _rates(located: Located[FailureRates]) -> Iterator[tuple[FailureRate, str]]:
    for position, entry in enumerate(located.model.spec.rates):
        path = f"spec.rates[{position}]"
        if not entry.names:
            source = located.source("spec", "rates", position)
            yield FailureRate(entry.field, None, entry.rate, source), path
        for number, name in enumerate(entry.names):
            source = located.source("spec", "rates", position, "names", number)
            yield FailureRate(entry.field, name, entry.rate, source), f"{path}.names[{number}]"
