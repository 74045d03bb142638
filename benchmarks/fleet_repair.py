"""Keep what runs, take away what is forbidden or too much, and add what is missing by room."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fleet_greedy import Ledger, Placed
from fleet_parts import App, Division, Limits

UNLIMITED = Limits(0, None)


def repair(ledger: Ledger, app: App) -> App | None:
    """Repair one workload, or place it anew where that does not do.

    Static weights, and full copies where nothing is to be chosen, are placed anew at once, as schedulers do.

    Parameters
    ----------
    ledger
        What is free without this workload; what it gets is taken from there.
    app
        What ran so far, and how many replicas are wanted.

    Returns
    -------
    App or None
        The workload with what runs then; None where it does not fit.
    """
    placed = None
    if app.running is not None:
        match app.policy.division:
            case Division.DYNAMIC | Division.AGGREGATED:
                placed = _repaired(ledger, app)
            case Division.DUPLICATED if app.policy.clusters is not None:
                placed = _copied(ledger, app, app.policy.clusters)
            case Division.DUPLICATED | Division.STATIC:
                pass
    if placed is None:
        return ledger.place(app)
    ledger.take(app, placed)
    return replace(app, running=dict(sorted(placed.items())))


def _copied(ledger: Ledger, app: App, limits: Limits) -> Placed | None:
    """Keep the copies that run, and add those with most room until there are as many as allowed."""
    rooms = {name: ledger.room(app, name) for names in _tiers(ledger, app) for name in names}
    fitting = [name for name, room in rooms.items() if room >= app.replicas]
    fitting.sort(key=lambda name: (name not in (app.running or {}), -rooms[name], name))
    return dict.fromkeys(fitting[: limits.most], app.replicas) if len(fitting) >= limits.least else None


def _repaired(ledger: Ledger, app: App) -> Placed | None:
    """Keep and add inside the affinity group in which it runs; None where that cannot be."""
    tiers = _tiers(ledger, app)
    rooms = {name: ledger.room(app, name) for names in tiers for name in names}
    placed = {name: min(count, rooms[name]) for name, count in (app.running or {}).items() if rooms.get(name)}
    _take_away(placed, tiers, sum(placed.values()) - app.replicas, app)
    _open(placed, ledger, app, rooms)
    for names in tiers:
        _fill(placed, ledger, app, {name: rooms[name] for name in names})
    return placed if sum(placed.values()) == app.replicas and _spread_enough(placed, ledger, app) else None


def _tiers(ledger: Ledger, app: App) -> list[list[str]]:
    """Return the clusters of the affinity group tier by tier, each cluster once."""
    seen: set[str] = set()
    tiers = []
    for tier in app.policy.groups[app.group].tiers:
        names = [name for name, member in ledger.members.items() if name not in seen and tier.matches(member)]
        seen.update(names)
        tiers.append(names)
    return tiers


def _take_away(placed: Placed, tiers: Sequence[Sequence[str]], surplus: int, app: App) -> None:
    """Take away what is too much: the last tier first, there where most stands; a single replica last."""
    for names in reversed(tiers):
        while surplus > 0:
            held = [name for name in names if placed.get(name, 0) > 1]
            if not held and not _spread(app):
                held = [name for name in names if placed.get(name)]
            if not held:
                break
            name = max(held, key=lambda one: (placed[one], one))
            placed[name] -= 1
            surplus -= 1
            if not placed[name]:
                del placed[name]


def _open(placed: Placed, ledger: Ledger, app: App, rooms: Mapping[str, int]) -> None:
    """Put one replica each on new clusters as long as there are too few of them, or too few regions."""
    regions, clusters = app.policy.regions or UNLIMITED, app.policy.clusters or UNLIMITED
    while sum(placed.values()) < app.replicas:
        used = {ledger.members[name].region for name in placed}
        closed = [name for name, room in rooms.items() if room and name not in placed]
        if len(used) < regions.least:
            closed = [name for name in closed if ledger.members[name].region not in used]
        elif len(placed) >= clusters.least:
            return
        closed = [name for name in closed if _may_open(name, placed, ledger, app)]
        if not closed:
            return
        placed[max(closed, key=lambda name: (rooms[name], name))] = 1


def _fill(placed: Placed, ledger: Ledger, app: App, rooms: Mapping[str, int]) -> None:
    """Add what is missing: where replicas stand already if clusters are counted, then on others, by room."""
    few = _spread(app) or app.policy.division is Division.AGGREGATED
    while (missing := app.replicas - sum(placed.values())) > 0:
        left = {name: room - placed.get(name, 0) for name, room in rooms.items()}
        inside = [name for name in left if left[name] > 0 and name in placed]
        outside = [
            name
            for name in left
            if left[name] > 0 and name not in placed and _may_open(name, placed, ledger, app)
        ]
        choice = (inside or outside) if few else [*inside, *outside]
        if not choice:
            return
        name = max(choice, key=lambda one: (left[one] / (placed.get(one, 0) + 1), one))
        many = left[name] if few and name not in inside else 1
        placed[name] = placed.get(name, 0) + min(missing, many)


def _spread(app: App) -> bool:
    """Tell whether groups of clusters are counted."""
    return app.policy.regions is not None or app.policy.clusters is not None


def _may_open(name: str, placed: Placed, ledger: Ledger, app: App) -> bool:
    """Tell whether one more cluster may hold replicas."""
    regions, clusters = app.policy.regions or UNLIMITED, app.policy.clusters or UNLIMITED
    used = {ledger.members[one].region for one in placed}
    new_region = ledger.members[name].region not in used
    return (clusters.most is None or len(placed) < clusters.most) and not (
        new_region and regions.most is not None and len(used) >= regions.most
    )


def _spread_enough(placed: Placed, ledger: Ledger, app: App) -> bool:
    """Tell whether a placement stands in as many groups as it has to."""
    regions, clusters = app.policy.regions or UNLIMITED, app.policy.clusters or UNLIMITED
    used = {ledger.members[name].region for name in placed}
    return len(used) >= regions.least and len(placed) >= clusters.least
