"""PriceList and MoveBudget: what a replica costs on every candidate, and how many may move."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from fairlead.manifests.api import own
from fairlead.manifests.api.own import PriceEntry, PriceList
from fairlead.manifests.api.own_values import Amount
from fairlead.manifests.own.sets import Remark, called, matched, named, without_clusters
from fairlead.manifests.validation import Located
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.errors import Mistake
from fairlead.models.levels import EMISSIONS, Level
from fairlead.models.quantity import counts_bytes, percentage, share_of
from fairlead.models.rules import MoveBudget, Price
from fairlead.models.rules.move_budget import under_way
from fairlead.models.source import Source
from fairlead.models.words import first_of
from fairlead.models.workload import Workload, running

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
    everywhere = {name: known[id(entry)] for name, entry in priced.items()}
    prices = {name: everywhere[name] for name in names if name in everywhere}
    spec = located.model.spec
    currency = "g" if spec.level == EMISSIONS.key else spec.currency or ""
    return Price(prices, located.source("spec", "prices"), Level(spec.level), currency, everywhere)


def price_of(entry: PriceEntry, needed: Mapping[str, int]) -> Fraction:
    """Return the price of one replica: fixed, or the sum over what it needs, per core, GiB or unit."""
    if entry.price_per_replica is not None:
        return entry.price_per_replica
    per = entry.per_resource or {}
    parts = (one * Fraction(needed.get(resource, 0), _unit(resource)) for resource, one in per.items())
    return sum(parts, Fraction(0))


def _unit(resource: str) -> int:
    """Return the amount of a resource that its price is for, in the units of requests."""
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
        yield second.document.mistake(("spec", "currency"), message, two)


def budgets(
    located: Located[own.MoveBudget], workloads: Sequence[Workload], clusters: Mapping[str, Cluster]
) -> Iterator[MoveBudget]:
    """Yield a rule for everything that a manifest limits; nothing where it selects no workload.

    `clusters`: member clusters by name. What runs elsewhere is gone already and counts in no percentage.
    """
    held = {one.key: running(one, clusters) for one in workloads}
    if not held:
        return
    gone = under_way(workloads)
    for name, amount, keys, source in _shared(located, workloads):
        most = share_of(amount, sum(sum(held[key].values()) for key in keys))
        yield MoveBudget(name, most, keys, under_way=gone, source=source, part=percentage(amount))
    everyone = frozenset(held)
    for name, entry, source, _ in _entries(located):
        inside = matched(entry.target_cluster, clusters)
        runs = sum(count for counts in held.values() for at, count in counts.items() if at in inside)
        most, part = share_of(entry.replicas, runs), percentage(entry.replicas)
        if inside and source.path[1] == "leaving":
            yield MoveBudget(name, most, everyone, leaving=inside, under_way=gone, source=source, part=part)
        elif inside:
            yield MoveBudget(name, most, everyone, arriving=inside, source=source, part=part)


def budget_remarks(located: Located[own.MoveBudget], clusters: Mapping[str, Cluster]) -> Iterator[Remark]:
    """Tell of sets of clusters that match nothing."""
    for _, entry, source, number in _entries(located):
        yield from without_clusters(entry.target_cluster, clusters, number, source)


def _shared(
    located: Located[own.MoveBudget], workloads: Sequence[Workload]
) -> Iterator[tuple[str, Amount, frozenset[str], Source]]:
    """Yield name, amount, workloads and source of every budget that looks at no clusters."""
    spec, budget = located.model.spec, named(located)
    everyone = sorted(one.key for one in workloads)
    if spec.total is not None:
        yield budget, spec.total, frozenset(everyone), located.source("spec", "total")
    if spec.per_workload is not None:
        source = located.source("spec", "perWorkload")
        for key in everyone:
            yield f"{key}, {budget}", spec.per_workload, frozenset([key]), source
    if spec.per_namespace is not None:
        source = located.source("spec", "perNamespace")
        for space in sorted({one.namespace for one in workloads}):
            keys = frozenset(one.key for one in workloads if one.namespace == space)
            whose = f"namespace {space}" if space else "workloads without a namespace"
            yield f"{whose}, {budget}", spec.per_namespace, keys, source


def _entries(located: Located[own.MoveBudget]) -> Iterator[tuple[str, own.ClusterBudget, Source, str]]:
    """Yield every limit of a set of clusters: a name of its own, itself, its source and its number."""
    spec = located.model.spec
    sides = (("leaving", "leaving", spec.leaving), ("arriving", "arriving at", spec.arriving))
    for field, verb, entries in sides:
        names = [called(entry.target_cluster) for entry in entries]
        for position, (entry, name) in enumerate(zip(entries, names, strict=True)):
            number = f"{field} {position + 1} of {named(located)}"
            alone = bool(name) and names.count(name) == 1
            where = f"{verb} {name}" if alone else f"{field} {position + 1}"
            yield f"{where}, {named(located)}", entry, located.source("spec", field, position), number
