"""Place one workload after the other, as schedulers do: most room first, nothing is looked at again."""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import replace

from fleet_parts import App, Division, Limits, Member, Selector

Placed = dict[str, int]


class Ledger:
    """What every cluster has left while one workload after the other is placed.

    Parameters
    ----------
    members
        The clusters.
    apps
        Workloads whose running replicas are taken from the clusters at once.
    kept
        Part of what a cluster offers that stays free.
    """

    def __init__(self, members: Sequence[Member], apps: Sequence[App] = (), kept: float = 0.0) -> None:
        self.members = {member.name: member for member in members}
        self._kept = kept
        self._left = {
            member.name: {
                resource: amount - member.others.get(resource, 0)
                for resource, amount in member.offered.items()
            }
            for member in members
        }
        for app in apps:
            self.take(app, app.running or {})

    def take(self, app: App, placed: Mapping[str, int], sign: int = 1) -> None:
        """Take what replicas need; give it back with -1 as sign."""
        for name, count in placed.items():
            for resource, need in app.needs.items():
                self._left[name][resource] -= sign * need * count

    def room(self, app: App, name: str) -> int:
        """Return how many replicas fit on a cluster, and are allowed there."""
        if self.members[name].taint is not None:
            return 0
        left, offered = self._left[name], self.members[name].offered
        most = min(
            (left.get(resource, 0) - int(self._kept * offered.get(resource, 0))) // need
            for resource, need in app.needs.items()
            if need
        )
        maximum = app.policy.maximum
        return max(0, most if maximum is None else min(most, maximum))

    def fill(self) -> None:
        """Keep nothing free from now on."""
        self._kept = 0.0

    def place(self, app: App) -> App | None:
        """Place a workload in the first affinity group that will do, from its own on.

        Returns
        -------
        App or None
            The workload with what runs then, which is taken from the clusters; None where it does not fit.
        """
        for number, group in enumerate(app.policy.groups[app.group :], app.group):
            placed = self._over_tiers(app, group.tiers)
            if placed is not None:
                self.take(app, placed)
                return replace(app, running=dict(sorted(placed.items())), group=number)
        return None

    def _over_tiers(self, app: App, tiers: Sequence[Selector]) -> Placed | None:
        """Fill one tier after the other; the only tier of most workloads takes everything."""
        placed: Placed = {}
        seen: set[str] = set()
        for tier in tiers:
            names = [
                name for name, member in self.members.items() if name not in seen and tier.matches(member)
            ]
            seen.update(names)
            rooms = {name: self.room(app, name) for name in names}
            rest = app.replicas - sum(placed.values())
            wanted = min(rest, sum(rooms.values())) if len(tiers) > 1 else rest
            if wanted:
                placed.update(self._in_tier(app, rooms, wanted) or {})
        if app.policy.division is Division.DUPLICATED:
            return placed or None
        return placed if sum(placed.values()) == app.replicas else None

    def _in_tier(self, app: App, rooms: Mapping[str, int], wanted: int) -> Placed | None:
        """Divide replicas over the clusters of one tier; None where they do not fit."""
        policy = app.policy
        match policy.division:
            case Division.DUPLICATED:
                return _copies(rooms, wanted, policy.clusters, self.members)
            case Division.STATIC:
                weights = {name: self._weight(app, name) for name in rooms}
                if not any(weights.values()):
                    weights = dict.fromkeys(rooms, 1)
                return divided({name: weight for name, weight in weights.items() if weight}, rooms, wanted)
            case Division.DYNAMIC | Division.AGGREGATED:
                regions = {name: self.members[name].region for name in rooms}
                chosen = _chosen(app, rooms, regions, wanted)
                return None if chosen is None else _over_chosen(app, chosen, rooms, wanted)

    def _weight(self, app: App, name: str) -> int:
        """Return the largest static weight that a cluster is given."""
        member = self.members[name]
        return max((weight for term, weight in app.policy.weights if term.matches(member)), default=0)


def _copies(
    rooms: Mapping[str, int], size: int, limits: Limits | None, members: Mapping[str, Member]
) -> Placed | None:
    """Place full copies: on every cluster that is open, or on as many as allowed, those with most room."""
    opened = [name for name in rooms if members[name].taint is None]
    fitting = sorted((name for name in opened if rooms[name] >= size), key=lambda name: (-rooms[name], name))
    if limits is None:
        return dict.fromkeys(opened, size) if len(fitting) == len(opened) else None
    return dict.fromkeys(fitting[: limits.most], size) if len(fitting) >= limits.least else None


def _over_chosen(app: App, chosen: Sequence[str], rooms: Mapping[str, int], wanted: int) -> Placed | None:
    """Divide replicas by room; where groups are counted, every chosen cluster gets one first."""
    counted = app.policy.regions is not None or app.policy.clusters is not None
    first = dict.fromkeys(chosen, 1) if counted else {}
    return divided({name: rooms[name] for name in chosen}, rooms, wanted, first)


def _chosen(
    app: App, rooms: Mapping[str, int], regions: Mapping[str, str], wanted: int
) -> Sequence[str] | None:
    """Choose clusters: all with room, as few as will do (Aggregated), or as spread constraints say."""
    ordered = sorted((name for name, room in rooms.items() if room), key=lambda name: (-rooms[name], name))
    few = app.policy.division is Division.AGGREGATED
    if app.policy.regions is None and app.policy.clusters is None:
        return _enough(ordered, rooms, wanted, 1) if few else ordered
    by_region = app.policy.regions or Limits(1, None)
    by_cluster = app.policy.clusters or Limits(1, None)
    ranked = _ranked(ordered, rooms, regions)
    for number in range(by_region.least, min(len(ranked), by_region.most or len(ranked)) + 1):
        inside = [name for name in ordered if regions[name] in ranked[:number]]
        heads = [next(name for name in inside if regions[name] == region) for region in ranked[:number]]
        queue = [*heads, *(name for name in inside if name not in heads)]
        queue = queue[: min(by_cluster.most or len(queue), wanted)]
        least = max(by_cluster.least, number)
        if len(queue) >= least and sum(rooms[name] for name in queue) >= wanted:
            return _enough(queue, rooms, wanted, least) if few else queue
    return None


def _ranked(ordered: Sequence[str], rooms: Mapping[str, int], regions: Mapping[str, str]) -> list[str]:
    """Return the regions, that with the most room first."""
    totals: dict[str, int] = {}
    for name in ordered:
        totals[regions[name]] = totals.get(regions[name], 0) + rooms[name]
    return sorted(totals, key=lambda region: (-totals[region], region))


def _enough(queue: Sequence[str], rooms: Mapping[str, int], wanted: int, least: int) -> Sequence[str]:
    """Return the shortest beginning that has room for all, and at least so many."""
    total = 0
    for number, name in enumerate(queue, 1):
        total += rooms[name]
        if total >= wanted and number >= least:
            return queue[:number]
    return queue


def divided(
    weights: Mapping[str, int], most: Mapping[str, int], wanted: int, first: Mapping[str, int] | None = None
) -> Placed | None:
    """Divide replicas by weights, one seat at a time (Webster), no cluster beyond its most.

    Parameters
    ----------
    weights
        Positive weights.
    most
        Most replicas by cluster.
    wanted
        Replicas.
    first
        What some of them get in any case.

    Returns
    -------
    dict or None
        Replicas of those that get some; None where they do not fit.
    """
    placed = dict(first or {})
    rest = wanted - sum(placed.values())
    heap = [
        ((2 * placed.get(name, 0) + 1) / weight, name)
        for name, weight in weights.items()
        if placed.get(name, 0) < most[name]
    ]
    heapq.heapify(heap)
    while rest > 0 and heap:
        _, name = heapq.heappop(heap)
        placed[name] = placed.get(name, 0) + 1
        rest -= 1
        if placed[name] < most[name]:
            heapq.heappush(heap, ((2 * placed[name] + 1) / weights[name], name))
    return placed if rest == 0 else None
