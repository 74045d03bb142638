"""What happens to a running fleet: a part grows, arrives or shrinks, a cluster is drained or joins."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from fleet_greedy import Ledger
from fleet_parts import App, Division, Fleet, Member
from fleet_repair import repair

DRAINED = "maintenance"
MOST_TRIES = 50

Event = Callable[[Fleet, random.Random], Fleet]


def nothing(fleet: Fleet, chance: random.Random) -> Fleet:
    """Leave everything as it is."""
    del chance
    return replace(fleet, witness=fleet.running)


def scale(fleet: Fleet, chance: random.Random) -> Fleet:
    """Let a tenth of the workloads ask for 30 % more replicas, rounded up, where there is room for them."""
    return _resized(fleet, chance, 0.1, lambda app: -(-app.replicas * 13 // 10))


def shrink(fleet: Fleet, chance: random.Random) -> Fleet:
    """Let a tenth of the workloads ask for 30 % fewer replicas, as far as their rules allow."""
    return _resized(fleet, chance, 0.1, lambda app: max(app.policy.fewest, app.replicas * 7 // 10, 1))


def arrive(fleet: Fleet, chance: random.Random) -> Fleet:
    """Make a twentieth of the workloads new: without clusters, and never scheduled."""
    new = {app.key for app in chance.sample(fleet.apps, max(1, len(fleet.apps) // 20))}
    apps = tuple(replace(app, running=None, group=0) if app.key in new else app for app in fleet.apps)
    return replace(fleet, apps=apps, witness=fleet.running)


def drain(fleet: Fleet, chance: random.Random) -> Fleet:
    """Taint one cluster that everything can leave.

    Raises
    ------
    RuntimeError
        Where no cluster of the fleet can be left.
    """
    for leaving in chance.sample(fleet.members, len(fleet.members)):
        members = tuple(
            replace(member, taint=DRAINED) if member is leaving else member for member in fleet.members
        )
        touched = {app.key for app in fleet.apps if leaving.name in (app.running or {})}
        changed = replace(fleet, members=members)
        witness = _repaired(changed, touched) if touched else None
        if witness is not None:
            return replace(changed, witness=witness)
    raise RuntimeError("no cluster can be drained: the fleet is too full")


def join(fleet: Fleet, chance: random.Random) -> Fleet:
    """Add an empty cluster, as large as one that is there, to its region."""
    like = chance.choice([member for member in fleet.members if not member.has_gpus])
    joined = Member(f"{like.region}-new", like.region, like.provider, like.offered, {})
    changed = replace(fleet, members=(*fleet.members, joined))
    # Copies on every cluster that is selected have to stand on the new one too.
    touched = {
        app.key
        for app in fleet.apps
        if app.policy.division is Division.DUPLICATED
        and app.policy.clusters is None
        and app.policy.groups[0].tiers[0].matches(joined)
    }
    witness = _repaired(changed, touched)
    if witness is None:
        raise RuntimeError("a copy does not fit on the new cluster")
    return replace(changed, witness=witness)


EVENTS: Mapping[str, Event] = MappingProxyType(
    {"none": nothing, "scale": scale, "arrive": arrive, "drain": drain, "join": join, "shrink": shrink}
)
"""All events by name."""


def _resized(fleet: Fleet, chance: random.Random, share: float, size: Callable[[App], int]) -> Fleet:
    """Give a part of the workloads another number of replicas, one after the other, each if it then fits."""
    ledger = Ledger(fleet.members, fleet.apps)
    left = max(1, round(share * len(fleet.apps)))
    resized: dict[str, App] = {}
    witness = fleet.running
    for app in chance.sample(fleet.apps, len(fleet.apps)):
        wanted = size(app)
        if not left or wanted == app.replicas:
            continue
        ledger.take(app, app.running or {}, sign=-1)
        placed = repair(ledger, replace(app, replicas=wanted))
        if placed is None:
            ledger.take(app, app.running or {})
            continue
        resized[app.key] = replace(app, replicas=wanted)
        witness[app.key] = dict(placed.running or {})
        left -= 1
    apps = tuple(resized.get(app.key, app) for app in fleet.apps)
    return replace(fleet, apps=apps, witness=witness)


def _repaired(fleet: Fleet, touched: set[str]) -> dict[str, dict[str, int]] | None:
    """Repair some workloads, the large ones first, while all others stay; None where one does not fit."""
    kept = [app for app in fleet.apps if app.key not in touched]
    ledger = Ledger(fleet.members, kept)
    witness = {app.key: dict(app.running or {}) for app in kept}
    for app in _large_first([app for app in fleet.apps if app.key in touched]):
        placed = repair(ledger, app)
        if placed is None:
            return None
        witness[app.key] = dict(placed.running or {})
    return witness


def _large_first(apps: Sequence[App]) -> list[App]:
    """Return workloads ordered by what they request."""
    return sorted(apps, key=lambda app: (-app.replicas * sum(app.requests.values()), app.key))
