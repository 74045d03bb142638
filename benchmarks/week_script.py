"""A week of a running fleet as a script, by seed: daily curves, drains, a lost region, and what else happens.

    python benchmarks/week_script.py --size 60x12 --events 200 --seed 0 --out DIR

writes the fleet and the script into a folder, so that the command line can be tried on them:
`fairlead simulate -f DIR/fleet --script DIR/week.yaml`.
"""

import argparse
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from fleet_cases import fleet
from fleet_manifests import documents, write
from fleet_parts import CPU, GPU, App, Division, Fleet, Member

from fairlead.models.yaml_text import to_yaml

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
Dated = tuple[float, Event]
"""An event and the hour of the week."""


@dataclass(frozen=True, slots=True)
class Week:
    """A fleet and what happens to it.

    Parameters
    ----------
    fleet
        The fleet on Monday morning.
    script
        The script as a manifest.
    """

    fleet: Fleet
    script: Mapping[str, Any]


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
    pairs = [*_surges(made, round(left * SURGES), chance, busy), *_absences(made, round(left * ABSENCES), chance, busy)]
    curves = list(_curves(made, max(0, left - len(pairs)), chance, busy))
    dated = sorted([*fixed, *pairs, *curves], key=lambda one: (one[0], one[1]["name"]))
    return Week(made, _script(f"week-{workloads}x{clusters}-{seed}", dated))


def _script(name: str, dated: Sequence[Dated]) -> dict[str, Any]:
    """Return dated events as a manifest."""
    events = [{"at": _at(hour), **event} for hour, event in dated]
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
        yield hour, {"name": f"{app.key} follows the day", "scale": {app.key: wanted}}


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
            yield hour, {"name": f"a new version of {app.key}", "scale": {app.key: 2 * app.replicas}}
            yield hour + 1, {"name": f"{app.key} is rolled out", "scale": {app.key: app.replicas}}


def _absences(
    made: Fleet, count: int, chance: random.Random, busy: dict[str, list[tuple[float, float]]]
) -> Iterator[Dated]:
    """Yield workloads that go and are deployed again some hours later."""
    for _ in range(count):
        app, hour = chance.choice(made.apps), chance.uniform(0, HOURS - 30)
        back = hour + chance.uniform(2, 24)
        if _is_free(app, hour, back, busy):
            yield hour, {"name": f"{app.key} goes", "scale": {app.key: 0}}
            yield back, {"name": f"{app.key} is deployed", "scale": {app.key: app.replicas}}


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
        yield hour, {"name": f"maintenance of {name}", "drain": [name]}
        yield hour + 0.7 * length, {"name": f"{name} is back", "restore": [name]}


def _nights() -> Iterator[Dated]:
    """Yield a chance to rebalance every night."""
    for day in range(7):
        yield 24 * day + 3.0, {"name": "the night's plan", "rebalance": BUDGET}


def _mishaps(made: Fleet, chance: random.Random) -> Iterator[Dated]:
    """Yield what happens once a week: a region fails, a cluster joins, devices run short, rules change."""
    region = min({member.region for member in made.members}, key=lambda one: (_size(made, one), one))
    yield 3 * 24 + 13, {"name": f"{region} fails", "lose": [f"region={region}"]}
    yield 3 * 24 + 18, {"name": f"{region} is back", "restore": [f"region={region}"]}
    yield 4 * 24 + 10, {"name": "a cluster joins", "apply": [_joining(made, chance)]}
    yield from _devices(made)
    yield from _edits(made, chance)
    yield from _quota(made, chance)


def _size(made: Fleet, region: str) -> int:
    """Return the cpu of a region."""
    return sum(member.offered[CPU] for member in made.members if member.region == region)


def _joining(made: Fleet, chance: random.Random) -> dict[str, Any]:
    """Return an empty cluster, as large as one that is there."""
    like = chance.choice([member for member in made.members if not member.has_gpus])
    joined = Member(f"{like.region}-new", like.region, like.provider, like.offered, {})
    return documents(Fleet((joined,), ()))[0]


def _devices(made: Fleet) -> Iterator[Dated]:
    """Yield half of the devices of the largest pool being away on Wednesday."""
    pools = [member for member in made.members if member.has_gpus]
    if not pools:
        return
    pool = max(pools, key=lambda one: (one.offered[GPU], one.name))
    fewer = replace(pool, offered={**pool.offered, GPU: pool.offered[GPU] // 2})
    whole = {one["metadata"]["name"]: one for one in documents(made)}[pool.name]
    members = tuple(fewer if member is pool else member for member in made.members)
    short = {one["metadata"]["name"]: one for one in documents(replace(made, members=members))}[pool.name]
    yield 2 * 24 + 9, {"name": f"{pool.name} has half of its devices", "apply": [short]}
    yield 2 * 24 + 17, {"name": f"{pool.name} has all of its devices", "apply": [whole]}


def _edits(made: Fleet, chance: random.Random) -> Iterator[Dated]:
    """Yield policies that get other weights, one on each of three days."""
    weighed = [policy for policy in made.policies if policy.division is Division.STATIC and policy.weights]
    for day, policy in zip((1, 3, 5), chance.sample(weighed, min(3, len(weighed))), strict=False):
        weights = tuple((selector, 1 + (weight + 1) % 3) for selector, weight in policy.weights)
        edited = replace(policy, weights=weights)
        apps = tuple(replace(app, policy=edited) for app in made.apps if app.policy is policy)
        (manifest,) = (one for one in documents(Fleet((), tuple(replace(app, running=None) for app in apps)))
                       if one["kind"] == "PropagationPolicy")
        yield 24 * day + 11, {"name": f"policy {policy.namespace} is edited", "apply": [manifest]}


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
    yield 5 * 24 + 8, {"name": f"the quota of {namespace} is cut", "apply": [quota]}
    yield 6 * 24 + 20, {"name": f"the quota of {namespace} is lifted", "delete": [gone]}


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
