"""PriceList: what a replica costs on every candidate."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from fairlead.manifests.api.own import PriceEntry, PriceList
from fairlead.manifests.own.sets import Remark, matched, named, without_clusters
from fairlead.manifests.validation import Located
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.errors import Mistake
from fairlead.models.levels import EMISSIONS, Level
from fairlead.models.quantity import counts_bytes
from fairlead.models.rules import Price
from fairlead.models.words import first_of

_GIB = 2**30
_CORE = 1000  # millicores


def entries(located: Located[PriceList], clusters: Mapping[str, Cluster]) -> dict[str, PriceEntry]:
    """Return the first entry that matches each cluster of the input; unpriced clusters are absent."""
    found: dict[str, PriceEntry] = {}
    for entry in located.model.spec.prices:
        for name in matched(entry.target_cluster, clusters):
            found.setdefault(name, entry)
    return found


def price(
    located: Located[PriceList],
    priced: Mapping[str, PriceEntry],
    names: Sequence[str],
    needed: Mapping[str, int],
) -> Price:
    """Return the price of one replica on every candidate.

    `needed`: what one replica needs, as `capacity.needs` returns it.
    """
    known = {id(entry): price_of(entry, needed) for entry in located.model.spec.prices}
    prices = {name: known[id(priced[name])] for name in names if name in priced}
    spec = located.model.spec
    currency = "g" if spec.level == EMISSIONS.key else spec.currency or ""
    return Price(prices, located.source("spec", "prices"), Level(spec.level), currency)


def price_of(entry: PriceEntry, needed: Mapping[str, int]) -> Fraction:
    """Return the price of one replica: fixed, or the sum over what it needs, per core, GiB or unit."""
    if entry.price_per_replica is not None:
        return entry.price_per_replica
    per = entry.per_resource or {}
    parts = (one * Fraction(needed.get(resource, 0), _unit(resource)) for resource, one in per.items())
    return sum(parts, Fraction(0))


def _unit(resource: str) -> int:
    """Return how much of a resource its price is for, in the units of requests."""
    if resource == CPU:
        return _CORE
    return _GIB if counts_bytes(resource) else 1


def remarks(located: Located[PriceList], clusters: Mapping[str, Cluster]) -> Iterator[Remark]:
    """Tell of entries that match nothing."""
    for position, entry in enumerate(located.model.spec.prices):
        title = f"price {position + 1} of {named(located)}"
        source = located.source("spec", "prices", position)
        yield from without_clusters(entry.target_cluster, clusters, title, source)


def unpriced(
    located: Located[PriceList], priced: Mapping[str, PriceEntry], names: Sequence[str]
) -> Iterator[Remark]:
    """Tell of candidates without a price: they count as free of charge."""
    free = [name for name in names if name not in priced]
    if free:
        counted = "free of charge" if located.model.spec.level == "cost" else "free of emissions"
        text = f"{named(located)} has no price for {first_of(free)}: counted as {counted}"
        yield Remark(text, located.source("spec", "prices"))


def other_currency(first: Located[PriceList], second: Located[PriceList]) -> Iterator[Mistake]:
    """Refuse two lists of one level in two currencies: what they add up to would be neither."""
    one, two = first.model.spec.currency, second.model.spec.currency
    if one and two and one != two:
        message = f"{named(first)} at {first.source()} is in {one}; amounts in two currencies do not add up"
        yield Mistake(second.source("spec", "currency"), "spec.currency", two, message)
