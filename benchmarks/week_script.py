"""A week of a running fleet as a script, by seed: daily curves, drains, a lost region, and what else happens.

    python benchmarks/week_script.py --size 60x12 --events 200 --seed 0 --out DIR

writes the fleet and the script into a folder, so that the command line can be tried on them:
`fairlead simulate -f DIR/fleet --script DIR/week.yaml`.
"""

import argparse
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from fleet_cases import fleet
from fleet_manifests import documents, write
from fleet_parts import CPU, GPU, App, Division, Fleet, Member, Policy

from fairlead.manifests.yaml.scalars import to_yaml

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
HOURS = 7 * 24
LOWEST, HIGHEST = 0.55, 1.2
"""A workload wants so much of what it runs with, at night and at its peak."""
SURGES, ABSENCES = 0.05, 0.05
"""Part of the events that are new versions, and workloads that go and come back; each needs two events."""
DRAINED = 1 / 3
"""Part of the clusters that are drained in the week, one after the other."""
BUDGET = "2%"

Event = dict[str, Any]


class Dated(NamedTuple):
    """An event of the week.

    Parameters
    ----------
    hour
        When.
    event
        What, as in a script, without the time.
    change
        What becomes of the fleet where the event applies manifests; None where that changes no cluster and no
        policy.
    """

    hour: float
    event: Event
    change: Callable[[Fleet], Fleet] | None = None


@dataclass(frozen=True, slots=True)
class Week:
    """A fleet and what happens to it.

    Parameters
    ----------
    fleet
        The fleet on Monday morning.
    script
        The script as a manifest.
    fleets
        The fleet after those events that apply manifests, by position of the event; for schedulers that are
        told of it in other kinds.
    """

    fleet: Fleet
    script: Mapping[str, Any]
    fleets: Mapping[int, Fleet]


def week(workloads: int, clusters: int, events: int, seed: int = 0) -> Week:
    """Make a fleet and its week.

    Parameters
    ----------
    workloads, clusters
        Size of the fleet; see `fleet_cases.fleet`.
    events
        About so many events; those that every week has are 20 to 50 of them.
    seed
        The same seed gives the same week.
    """
    made = fleet(workloads, clusters, seed)
    chance = random.Random(f"week {workloads}x{clusters} {events} {seed}")
    fixed = [*_maintenance(made), *_mishaps(made, chance), *_nights()]
    left = max(0, events - len(fixed))
    busy: dict[str, list[tuple[float, float]]] = {}
    pairs = [
        *_surges(made, round(left * SURGES), chance, busy),
        *_absences(made, round(left * ABSENCES), chance, busy),
    ]
    curves = list(_curves(made, max(0, left - len(pairs)), chance, busy))
    dated = sorted([*fixed, *pairs, *curves], key=lambda one: (one.hour, one.event["name"]))
    return Week(made, _script(f"week-{workloads}x{clusters}-{seed}", dated), dict(_fleets(made, dated)))


def _fleets(made: Fleet, dated: Sequence[Dated]) -> Iterator[tuple[int, Fleet]]:
    """Yield the fleet after every event that applies manifests."""
    for position, one in enumerate(dated):
        if "apply" in one.event or "delete" in one.event:
            made = one.change(made) if one.change else made
            yield position, made


def _script(name: str, dated: Sequence[Dated]) -> dict[str, Any]:
    """Return dated events as a manifest."""
    events = [{"at": _at(hour), **event} for hour, event, _ in dated]
    return {
        "apiVersion": "fairlead.io/v1alpha1",
        "kind": "Script",
        "metadata": {"name": name},
        "spec": {"end": _at(HOURS), "events": events},
    }


def _at(hour: float) -> str:
    """Return an hour of the week as a time, to the second."""
    return (MONDAY + timedelta(seconds=round(hour * 3600))).isoformat().replace("+00:00", "Z")


def _curve(hour: float, phase: float) -> float:
    """Return how much of its usual size a workload wants: a wave with its peak at the same hour every day."""
    wave = (1 - math.cos(2 * math.pi * (hour - phase) / 24)) / 2
    weekend = 0.8 if hour >= 5 * 24 else 1.0
    return (LOWEST + (HIGHEST - LOWEST) * wave) * weekend


def _curves(
    made: Fleet, count: int, chance: random.Random, busy: Mapping[str, Sequence[tuple[float, float]]]
) -> Iterator[Dated]:
    """Yield workloads that follow the daily curve of their region; those that are busy otherwise do not."""
    regions = sorted({member.region for member in made.members})
    phases = {region: 24 * number / len(regions) for number, region in enumerate(regions)}
    home = {app.key: chance.choice(regions) for app in made.apps}
    for number in range(count):
        hour = HOURS * (number + chance.random()) / count
        app = chance.choice(made.apps)
        if any(begin <= hour <= end for begin, end in busy.get(app.key, ())):
            continue
        wanted = _sized(app, _curve(hour, phases[home[app.key]]))
        yield Dated(hour, {"name": f"{app.key} follows the day", "scale": {app.key: wanted}})


def _sized(app: App, factor: float) -> int:
    """Return so much of the usual size of a workload, as few as its rules allow at least."""
    return max(app.policy.fewest, 1, round(app.replicas * factor))


def _surges(
    made: Fleet, count: int, chance: random.Random, busy: dict[str, list[tuple[float, float]]]
) -> Iterator[Dated]:
    """Yield new versions: for an hour a workload has twice its pods."""
    for _ in range(count):
        app, hour = chance.choice(made.apps), chance.uniform(0, HOURS - 2)
        if _is_free(app, hour, hour + 1, busy):
            yield Dated(hour, {"name": f"a new version of {app.key}", "scale": {app.key: 2 * app.replicas}})
            yield Dated(hour + 1, {"name": f"{app.key} is rolled out", "scale": {app.key: app.replicas}})


def _absences(
    made: Fleet, count: int, chance: random.Random, busy: dict[str, list[tuple[float, float]]]
) -> Iterator[Dated]:
    """Yield workloads that go and are deployed again some hours later."""
    for _ in range(count):
        app, hour = chance.choice(made.apps), chance.uniform(0, HOURS - 30)
        back = hour + chance.uniform(2, 24)
        if _is_free(app, hour, back, busy):
            yield Dated(hour, {"name": f"{app.key} goes", "scale": {app.key: 0}})
            yield Dated(back, {"name": f"{app.key} is deployed", "scale": {app.key: app.replicas}})


def _is_free(app: App, begin: float, end: float, busy: dict[str, list[tuple[float, float]]]) -> bool:
    """Tell whether nothing else happens to a workload then, and note that something does now."""
    known = busy.setdefault(app.key, [])
    if any(begin <= until and since <= end for since, until in known):
        return False
    known.append((begin, end))
    return True


def _maintenance(made: Fleet) -> Iterator[Dated]:
    """Yield drains, one cluster after the other from Tuesday to Saturday."""
    names = [member.name for member in made.members]
    chosen = names[:: round(1 / DRAINED)]
    length = 4 * 24 / len(chosen)
    for number, name in enumerate(chosen):
        hour = 24 + 8 + number * length
        yield Dated(hour, {"name": f"maintenance of {name}", "drain": [name]})
        yield Dated(hour + 0.7 * length, {"name": f"{name} is back", "restore": [name]})


def _nights() -> Iterator[Dated]:
    """Yield a chance to rebalance every night."""
    for day in range(7):
        yield Dated(24 * day + 3.0, {"name": "the night's plan", "rebalance": BUDGET})


def _mishaps(made: Fleet, chance: random.Random) -> Iterator[Dated]:
    """Yield what happens once a week: a region fails, a cluster joins, devices run short, rules change."""
    region = min({member.region for member in made.members}, key=lambda one: (_size(made, one), one))
    yield Dated(3 * 24 + 13, {"name": f"{region} fails", "lose": [f"region={region}"]})
    yield Dated(3 * 24 + 18, {"name": f"{region} is back", "restore": [f"region={region}"]})
    yield _joining(made, chance)
    yield from _devices(made)
    yield from _edits(made, chance)
    yield from _quota(made, chance)


def _size(made: Fleet, region: str) -> int:
    """Return the cpu of a region."""
    return sum(member.offered[CPU] for member in made.members if member.region == region)


def _joining(made: Fleet, chance: random.Random) -> Dated:
    """Return that an empty cluster joins, as large as one that is there."""
    like = chance.choice([member for member in made.members if not member.has_gpus])
    joined = Member(f"{like.region}-new", like.region, like.provider, like.offered, {})
    manifest = _manifest(replace(made, members=(*made.members, joined)), "Cluster", joined.name)
    event = {"name": "a cluster joins", "apply": [manifest]}
    return Dated(4 * 24 + 10, event, lambda now: replace(now, members=(*now.members, joined)))


def _manifest(made: Fleet, kind: str, name: str) -> dict[str, Any]:
    """Return the manifest of a cluster or policy."""
    named = (one for one in documents(made) if (one["kind"], one["metadata"]["name"]) == (kind, name))
    return next(named)


def _devices(made: Fleet) -> Iterator[Dated]:
    """Yield half of the devices of the largest pool being away on Wednesday."""
    pools = [member for member in made.members if member.has_gpus]
    if not pools:
        return
    pool = max(pools, key=lambda one: (one.offered[GPU], one.name))
    fewer = replace(pool, offered={**pool.offered, GPU: pool.offered[GPU] // 2})
    for hour, member, share in ((2 * 24 + 9, fewer, "half"), (2 * 24 + 17, pool, "all")):
        changed = partial(_with_member, member)
        manifest = _manifest(changed(made), "Cluster", member.name)
        yield Dated(hour, {"name": f"{member.name} has {share} of its devices", "apply": [manifest]}, changed)


def _with_member(member: Member, made: Fleet) -> Fleet:
    """Return a fleet with another cluster of a name."""
    members = tuple(member if one.name == member.name else one for one in made.members)
    return replace(made, members=members)


def _edits(made: Fleet, chance: random.Random) -> Iterator[Dated]:
    """Yield policies that get other weights, one on each of three days."""
    weighed = [policy for policy in made.policies if policy.division is Division.STATIC and policy.weights]
    for day, policy in zip((1, 3, 5), chance.sample(weighed, min(3, len(weighed))), strict=False):
        weights = tuple((selector, 1 + (weight + 1) % 3) for selector, weight in policy.weights)
        changed = partial(_with_policy, replace(policy, weights=weights))
        manifest = _manifest(changed(made), "PropagationPolicy", policy.namespace)
        event = {"name": f"policy {policy.namespace} is edited", "apply": [manifest]}
        yield Dated(24 * day + 11, event, changed)


def _with_policy(policy: Policy, made: Fleet) -> Fleet:
    """Return a fleet with another policy of a namespace."""
    apps = (
        replace(one, policy=policy) if one.policy.namespace == policy.namespace else one for one in made.apps
    )
    return replace(made, apps=tuple(apps))


def _quota(made: Fleet, chance: random.Random) -> Iterator[Dated]:
    """Yield a quota that a namespace gets for the weekend: no more cpu than it uses at its usual size."""
    inside = [policy.namespace for policy in made.policies if policy.division is not Division.DUPLICATED]
    namespace = chance.choice(sorted(inside))
    apps = [app for app in made.apps if app.policy.namespace == namespace]
    hard = sum(app.replicas * app.requests.get(CPU, 0) for app in apps)
    quota = {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "FederatedResourceQuota",
        "metadata": {"name": "weekend", "namespace": namespace},
        "spec": {"overall": {"cpu": f"{hard}m"}},
    }
    gone = {"kind": "FederatedResourceQuota", "name": "weekend", "namespace": namespace}
    yield Dated(5 * 24 + 8, {"name": f"the quota of {namespace} is cut", "apply": [quota]})
    yield Dated(6 * 24 + 20, {"name": f"the quota of {namespace} is lifted", "delete": [gone]})


def main() -> None:
    """Write a fleet and its week into a folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", default="60x12", help="workloads x clusters")
    parser.add_argument("--events", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    arguments = parser.parse_args()
    workloads, clusters = (int(number) for number in arguments.size.split("x"))
    made = week(workloads, clusters, arguments.events, arguments.seed)
    write(made.fleet, arguments.out / "fleet")
    (arguments.out / "week.yaml").write_text(to_yaml(made.script))
    print(f"{len(made.script['spec']['events'])} events, written to {arguments.out}")


if __name__ == "__main__":
    main()
