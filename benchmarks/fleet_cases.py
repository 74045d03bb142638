"""Running fleets by seed: mixed policies, what runs placed greedily, and something that happens.

    python benchmarks/fleet_cases.py --size 300x30 --seed 1 --event drain --out DIR

writes a fleet into a folder, so that the command line can be tried on it: `fairlead solve -f DIR`.
"""

import argparse
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from fleet_events import EVENTS
from fleet_greedy import Ledger
from fleet_manifests import documents, write
from fleet_parts import CPU, GPU, MEMORY, PODS, Amounts, App, Division, Fleet, Member
from fleet_policies import Site, draw_apps

import fairlead
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem

SIZES = ((60, 12), (300, 30), (1_000, 50), (5_000, 100))
"""Workloads and clusters of the fleets that are measured."""

LOAD = 0.6
OTHERS = 0.05
KEPT = 0.02
NODE = {CPU: 16_000, MEMORY: 64 * 1024, PODS: 110}
GPUS_OF_A_CLUSTER = 4
REGIONS = (
    ("eu-west", "aws"),
    ("eu-central", "aws"),
    ("us-east", "aws"),
    ("ap-south", "aws"),
    ("us-west", "gcp"),
    ("eu-north", "gcp"),
    ("ap-east", "gcp"),
    ("sa-east", "azure"),
    ("us-central", "azure"),
    ("af-south", "azure"),
)
RELATIVE_SIZES = (4, 3, 2, 3, 2)


def fleet(workloads: int, clusters: int, seed: int = 0, event: str = "none") -> Fleet:
    """Make a running fleet and let something happen to it.

    Before the event everything runs, fits and keeps every rule; after it there is a placement that does, see
    `Fleet.witness`.

    Parameters
    ----------
    workloads, clusters
        How many there are; at least 20 and 8.
    seed
        The same seed gives the same fleet, and the same fleet before every event.
    event
        A name of `EVENTS`.
    """
    chance = random.Random(f"fleet {workloads}x{clusters} {seed}")
    site = _site(clusters)
    drawn = draw_apps(workloads, site, chance)
    members = _members(site, drawn, chance)
    placed = sorted(_placed(Ledger(members, kept=KEPT), drawn), key=lambda app: app.key)
    running = Fleet(members, tuple(placed))
    return EVENTS[event](running, random.Random(f"{event} {workloads}x{clusters} {seed}"))


def fleet_problem(workloads: int, clusters: int, seed: int = 0, *, event: str = "none") -> Problem:
    """Make a running fleet and load it as a user would."""
    return fairlead.load(documents(fleet(workloads, clusters, seed, event)))


def witness(made: Fleet) -> Placement:
    """Return a placement that keeps every rule."""
    return Placement(made.witness)


def _placed(ledger: Ledger, apps: Sequence[App]) -> Iterator[App]:
    """Place one after the other; what does not fit is made smaller and placed in the end."""
    late = []
    for app in apps:
        placed = ledger.place(app) or ledger.place(_fewer(app))
        if placed is None:
            late.append(app)
        else:
            yield placed
    ledger.fill()
    for app in late:
        placed = ledger.place(replace(app, replicas=app.policy.fewest, requests={CPU: 50, MEMORY: 128}))
        if placed is None:
            raise RuntimeError(f"{app.key} does not fit, however small it is")
        yield placed


def _fewer(app: App) -> App:
    """Return a workload with a third of its replicas."""
    return replace(app, replicas=max(app.policy.fewest, app.replicas // 3))


def _site(clusters: int) -> Site:
    """Name the clusters and deal them out to regions."""
    number = min(len(REGIONS), max(3, round(1.1 * math.sqrt(clusters))))
    regions: dict[str, list[str]] = {name: [] for name, _ in REGIONS[:number]}
    for position in range(clusters):
        region = REGIONS[position % number][0]
        regions[region].append(f"{region}-{len(regions[region]) + 1}")
    named = {region: tuple(names) for region, names in regions.items()}
    every = [name for names in named.values() for name in names]
    return Site(named, tuple(every[::GPUS_OF_A_CLUSTER]))


def _members(site: Site, apps: Sequence[App], chance: random.Random) -> tuple[Member, ...]:
    """Make clusters that are so large that what is asked for loads them as wanted."""
    asked = _asked(apps)
    share = LOAD - OTHERS
    nodes = max(asked.get(resource, 0) / (share * NODE[resource]) for resource in NODE)
    providers = dict(REGIONS)
    sizes = {
        name: RELATIVE_SIZES[position % len(RELATIVE_SIZES)] * chance.uniform(0.8, 1.25)
        for names in site.regions.values()
        for position, name in enumerate(names)
    }
    devices = asked.get(GPU, 0) / share / sum(sizes[name] for name in site.gpus)
    members = []
    for region, names in site.regions.items():
        for name in names:
            count = max(2, round(nodes * sizes[name] / sum(sizes.values())))
            offered = {resource: count * amount for resource, amount in NODE.items()}
            if name in site.gpus:
                offered[GPU] = max(8, math.ceil(devices * sizes[name]))
            others = {
                CPU: _part(offered[CPU], chance, 50),
                MEMORY: _part(offered[MEMORY], chance, 64),
                PODS: 6 * count,
            }
            members.append(Member(name, region, providers[region], offered, others))
    return tuple(members)


def _part(offered: int, chance: random.Random, unit: int) -> int:
    """Return what others use of a resource: around a twentieth."""
    return round(offered * OTHERS * chance.uniform(0.5, 1.5) / unit) * unit


def _asked(apps: Sequence[App]) -> Amounts:
    """Return what all workloads ask for together, every copy counted."""
    asked: dict[str, int] = {}
    for app in apps:
        copies = 1
        if app.policy.division is Division.DUPLICATED:
            names = app.policy.groups[0].tiers[0].names
            copies = app.policy.clusters.most or 1 if app.policy.clusters else len(names)
        for resource, need in app.needs.items():
            asked[resource] = asked.get(resource, 0) + need * app.replicas * copies
    return asked


def main() -> None:
    """Write a fleet into a folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", default="60x12", help="workloads x clusters")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--event", choices=sorted(EVENTS), default="none")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--json", action="store_true", help="JSON instead of YAML")
    arguments = parser.parse_args()
    workloads, clusters = (int(number) for number in arguments.size.split("x"))
    made = fleet(workloads, clusters, arguments.seed, arguments.event)
    write(made, arguments.out, as_json=arguments.json)
    print(f"{len(made.apps)} workloads on {len(made.members)} clusters, written to {arguments.out}")


if __name__ == "__main__":
    main()
