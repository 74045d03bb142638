"""FailureRates: how often groups of clusters are lost."""

from collections.abc import Iterator, Sequence

from fairlead.manifests.api.own import FailureRates
from fairlead.manifests.own.sets import Remark, named
from fairlead.manifests.validation import Located
from fairlead.models.cluster import Cluster
from fairlead.models.errors import Mistake
from fairlead.models.expected_loss import FailureRate
from fairlead.models.topology import groups
from fairlead.models.words import with_nearest


def read(manifests: Sequence[Located[FailureRates]]) -> tuple[FailureRate, ...]:
    """Return every rate that is given, one for each group that is named."""
    return tuple(rate for located in manifests for rate, _ in _given(located))


def twice(manifests: Sequence[Located[FailureRates]]) -> Iterator[Mistake]:
    """Refuse a second rate of one group, or of all others of a field."""
    known: dict[tuple[str, str | None], FailureRate] = {}
    for located in manifests:
        for rate, field in _given(located):
            first = known.setdefault((rate.field, rate.name), rate)
            if first is not rate and rate.source is not None:
                message = f"has a rate already, at {first.source}; a group has one"
                yield Mistake(rate.source, field, rate.name or rate.field, message)


def remarks(manifests: Sequence[Located[FailureRates]], clusters: Sequence[Cluster]) -> Iterator[Remark]:
    """Tell of groups that the input does not have."""
    for located in manifests:
        for rate, _ in _given(located):
            known = groups(clusters, rate.field)
            if rate.name is not None and rate.name not in known and rate.source is not None:
                who = f"{rate.field} {with_nearest([rate.name], known)}"
                yield Remark(f"{named(located)} names {who}, not in the input", rate.source)


def _given(located: Located[FailureRates]) -> Iterator[tuple[FailureRate, str]]:
    """Yield every rate with the path of its field."""
    for position, entry in enumerate(located.model.spec.rates):
        path = f"spec.rates[{position}]"
        if not entry.names:
            source = located.source("spec", "rates", position)
            yield FailureRate(entry.field, None, entry.rate, source), path
        for number, name in enumerate(entry.names):
            source = located.source("spec", "rates", position, "names", number)
            yield FailureRate(entry.field, name, entry.rate, source), f"{path}.names[{number}]"
