"""Draw the policies and workloads of a running fleet: mixed rules, heavy-tailed sizes."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fleet_parts import CPU, GPU, MEMORY, App, Division, Group, Limits, Policy, Selector

SHARES: Mapping[str, float] = {
    "dynamic": 0.15,
    "spread": 0.18,
    "devices": 0.05,
    "static": 0.22,
    "aggregated": 0.15,
    "duplicated": 0.08,
    "tiers": 0.09,
    "groups": 0.08,
}
"""Part of the workloads by kind of policy; dynamic weights are plain, spread, or on clusters with devices."""

MAXIMA = 0.25
"""Part of the workloads with a maximum, as nearly as whole policies allow."""

CPUS = (100, 250, 500, 1000, 2000, 4000)
RATIOS = (1, 2, 2, 4, 8)
TEAMS = ("shop", "search", "payments", "data", "media", "platform", "mail", "maps", "risk", "games")
ROLES = ("api", "web", "worker", "cache", "gateway", "indexer", "ingest", "scorer", "auth", "mailer")


@dataclass(frozen=True, slots=True)
class Site:
    """Clusters before anything is known of their sizes.

    Parameters
    ----------
    regions
        Names of the clusters by region.
    gpus
        Names of the clusters with devices.
    """

    regions: Mapping[str, tuple[str, ...]]
    gpus: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all clusters."""
        return tuple(name for names in self.regions.values() for name in names)


def draw_apps(count: int, site: Site, chance: random.Random) -> list[App]:
    """Draw workloads, a few of one kind to each policy.

    Parameters
    ----------
    count
        Workloads.
    site
        The clusters.
    chance
        Where lots are drawn from.
    """
    apps: list[App] = []
    for kind, number in _split(count).items():
        rest = number
        while rest:
            size = min(rest, chance.randint(2, 8))
            namespace = f"{chance.choice(TEAMS)}-{len(apps):05d}"
            apps += _bounded(_team(kind, namespace, size, site, chance), apps, site, chance)
            rest -= size
    chance.shuffle(apps)
    return apps


def _split(count: int) -> dict[str, int]:
    """Split a number of workloads by kind; the most common kind takes what rounding leaves."""
    numbers = {kind: round(share * count) for kind, share in SHARES.items()}
    numbers["dynamic"] += count - sum(numbers.values())
    return numbers


def _team(kind: str, namespace: str, size: int, site: Site, chance: random.Random) -> list[App]:
    """Draw a policy and its workloads."""
    policy = _DRAWN[kind](namespace, site, chance)
    devices = any(tier.gpus for group in policy.groups for tier in group.tiers)
    largest = len(site.names) * 5
    apps = []
    for number in range(size):
        # Sizes of real fleets have a heavy tail: most are small, a few hold much of all replicas.
        replicas = min(largest, round(1.5 * chance.paretovariate(1.1)))
        if policy.division is Division.DUPLICATED:
            replicas = min(replicas, 8)
        name = f"{ROLES[number % len(ROLES)]}"
        stateful = chance.random() < 0.1
        requests = _requests(chance, devices=devices)
        apps.append(
            App(
                policy,
                name,
                "StatefulSet" if stateful else "Deployment",
                max(replicas, policy.fewest),
                requests,
                group=chance.choice((0, 0, 0, 1)) if len(policy.groups) > 1 else 0,
            )
        )
    return apps


def _bounded(team: list[App], before: Sequence[App], site: Site, chance: random.Random) -> list[App]:
    """Give the policy of some workloads a maximum, where there are too few of them yet."""
    policy = team[0].policy
    bounded = sum(app.policy.maximum is not None for app in before)
    if policy.division is Division.DUPLICATED or bounded > MAXIMA * len(before):
        return team
    policy = replace(policy, maximum=_maximum(policy, max(app.replicas for app in team), site, chance))
    return [replace(app, policy=policy) for app in team]


def _requests(chance: random.Random, *, devices: bool) -> dict[str, int]:
    """Draw what a replica requests; a request of devices comes with much of the rest."""
    if devices:
        return {CPU: 4000, MEMORY: 16 * 1024, GPU: 1}
    cpu = chance.choice(CPUS)
    return {CPU: cpu, MEMORY: max(256, cpu * 1024 * chance.choice(RATIOS) // 1000)}


def _maximum(policy: Policy, largest: int, site: Site, chance: random.Random) -> int:
    """Draw a maximum that leaves the largest workload room to grow, also with one cluster less."""
    usable = min(_size(group, site) for group in policy.groups)
    for limits, each in ((policy.clusters, 1), (policy.regions, 2)):
        if limits is not None and limits.most is not None:
            usable = min(usable, limits.most * each)
    return math.ceil(1.35 * largest * chance.uniform(1.0, 1.6) / max(1, usable - 1))


def _size(group: Group, site: Site) -> int:
    """Return how many clusters an affinity group has, its overflow tiers among them."""
    return len({name for tier in group.tiers for name in _names(tier, site)})


def _names(selector: Selector, site: Site) -> Sequence[str]:
    """Return the clusters of a set."""
    if selector.names:
        return selector.names
    if selector.regions:
        return [name for region in selector.regions for name in site.regions[region]]
    return site.gpus if selector.gpus else site.names


def _dynamic(namespace: str, site: Site, chance: random.Random) -> Policy:
    """Draw dynamic weights and nothing else."""
    return Policy(namespace, "dynamic", Division.DYNAMIC, (Group(None, (_where(site, chance),)),))


def _spread(namespace: str, site: Site, chance: random.Random) -> Policy:
    """Draw dynamic weights that are spread over regions and clusters."""
    regions = Limits(2, chance.choice((2, 3, 3, None)))
    clusters = Limits(chance.choice((2, 2, 3)), chance.choice((3, 4, 5, 6)))
    group = (Group(None, (_where(site, chance, least_regions=3),)),)
    return Policy(namespace, "spread", Division.DYNAMIC, group, regions=regions, clusters=clusters)


def _devices(namespace: str, site: Site, chance: random.Random) -> Policy:
    """Draw dynamic weights on clusters with devices."""
    del site, chance
    return Policy(namespace, "devices", Division.DYNAMIC, (Group(None, (Selector(gpus=True),)),))


def _where(site: Site, chance: random.Random, least_regions: int = 2) -> Selector:
    """Draw a set of clusters: all, some regions, or some names."""
    lot = chance.random()
    names = tuple(site.regions)
    if lot < 0.4:
        return Selector()
    if lot < 0.75:
        return Selector(
            regions=tuple(sorted(chance.sample(names, chance.randint(least_regions, len(names)))))
        )
    chosen = set(chance.sample(site.names, chance.randint(2, min(6, len(site.names)))))
    for region in chance.sample(names, least_regions):
        chosen.update(chance.sample(site.regions[region], 2))
    return Selector(names=tuple(sorted(chosen)))


def _static(namespace: str, site: Site, chance: random.Random) -> Policy:
    """Draw static weights by names or by regions."""
    if chance.random() < 0.5:
        regions = sorted(chance.sample(sorted(site.regions), chance.randint(2, 3)))
        where = Selector(regions=tuple(regions))
        terms = [Selector(regions=(region,)) for region in regions]
    else:
        names = sorted(chance.sample(site.names, chance.randint(4, 8)))
        cut = len(names) // 2
        where = Selector(names=tuple(names))
        terms = [Selector(names=tuple(names[:cut])), Selector(names=tuple(names[cut:]))]
    weights = tuple((term, chance.randint(1, 4)) for term in terms)
    return Policy(namespace, "static", Division.STATIC, (Group(None, (where,)),), weights)


def _aggregated(namespace: str, site: Site, chance: random.Random) -> Policy:
    """Draw Aggregated policies, a fifth of them inside few regions."""
    group = (Group(None, (_where(site, chance),)),)
    few = chance.random() < 0.2
    regions, clusters = (Limits(1, 2), Limits(1, 6)) if few else (None, None)
    return Policy(namespace, "aggregated", Division.AGGREGATED, group, regions=regions, clusters=clusters)


def _duplicated(namespace: str, site: Site, chance: random.Random) -> Policy:
    """Draw policies of full copies: on a few named clusters, or on some that may be chosen."""
    if chance.random() < 0.5:
        names = tuple(sorted(chance.sample(site.names, chance.randint(2, 4))))
        group = (Group(None, (Selector(names=names),)),)
        return Policy(namespace, "duplicated", Division.DUPLICATED, group)
    group = (Group(None, (_where(site, chance),)),)
    clusters = Limits(1, chance.choice((2, 3)))
    return Policy(namespace, "duplicated", Division.DUPLICATED, group, clusters=clusters)


def _tiers(namespace: str, site: Site, chance: random.Random) -> Policy:
    """Draw a set of clusters with one or two overflow tiers, by room or on as few clusters as will do."""
    names = chance.sample(site.names, min(len(site.names), chance.randint(6, 12)))
    first, second = sorted((chance.randint(2, len(names) - 3), chance.randint(3, len(names) - 2)))
    cuts = (
        [0, first, second, len(names)] if second > first and chance.random() < 0.4 else [0, first, len(names)]
    )
    tiers = tuple(Selector(names=tuple(sorted(names[begin:end]))) for begin, end in pairwise(cuts))
    division = chance.choice((Division.DYNAMIC, Division.DYNAMIC, Division.AGGREGATED))
    return Policy(namespace, "tiers", division, (Group("primary", tiers),))


def _groups(namespace: str, site: Site, chance: random.Random) -> Policy:
    """Draw two or three affinity groups that exclude each other."""
    regions = chance.sample(sorted(site.regions), min(len(site.regions), chance.choice((2, 3))))
    groups = tuple(
        Group(f"group-{number}", (Selector(regions=(region,)),)) for number, region in enumerate(regions, 1)
    )
    division = chance.choice((Division.DYNAMIC, Division.DYNAMIC, Division.AGGREGATED, Division.STATIC))
    weights: tuple[tuple[Selector, int], ...] = ()
    if division is Division.STATIC:
        weights = tuple((Selector(regions=(region,)), chance.randint(1, 3)) for region in regions)
    return Policy(namespace, "groups", division, groups, weights)


_DRAWN = {
    "dynamic": _dynamic,
    "spread": _spread,
    "devices": _devices,
    "static": _static,
    "aggregated": _aggregated,
    "duplicated": _duplicated,
    "tiers": _tiers,
    "groups": _groups,
}
