"""Measure one workload under every ordinary rule beside the Karmada dispenser, in milliseconds.

    python benchmarks/single_rules.py                                            # 100 and 1,000 clusters
    python benchmarks/single_rules.py --clusters 5000 --rules spread,aggregated  # some of them

The exit code is 1 where a bar is missed: where an answer is not proven, breaks a rule, or takes too long.
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from fleet_greedy import Ledger
from fleet_manifests import documents
from fleet_parts import CPU, MEMORY, PODS, App, Division, Fleet, Group, Limits, Member, Policy, Selector

import fairlead
from fairlead.models.problem import Problem

SIZES = (100, 1_000, 5_000)
TIME_LIMIT = 20.0
# Whoever takes so many seconds is not asked a second time.
LONG = 1.0

BARS: Mapping[tuple[str, int], float] = MappingProxyType(
    {
        **{(rule, 100): 10.0 for rule in ("static", "dynamic", "spread", "spread-few", "spread-growing")},
        **{
            (rule, 100): 10.0 for rule in ("aggregated", "aggregated-spread", "duplicated", "tiers", "groups")
        },
        ("static", 1_000): 6.0,
        ("dynamic", 1_000): 6.0,
        **{(rule, 1_000): 40.0 for rule in ("spread", "spread-few", "spread-growing")},
        **{(rule, 5_000): 200.0 for rule in ("spread", "spread-few", "spread-growing")},
        ("aggregated", 1_000): 15.0,
        ("aggregated", 5_000): 60.0,
        ("aggregated-spread", 1_000): 60.0,
        ("aggregated-spread", 5_000): 300.0,
    }
)
"""Median milliseconds that must not be passed, by rule and clusters; all else has to be proven in time."""


@dataclass(frozen=True, slots=True)
class Run:
    """Median milliseconds, what the answer is by the pure checker, and whether it is proven."""

    milliseconds: float
    state: str
    proven: bool


def _regions(members: Sequence[Member]) -> list[str]:
    """Return the names of all regions."""
    return sorted({member.region for member in members})


def _policy(division: Division, **rules: object) -> Policy:
    """Return a policy over all clusters."""
    return Policy("bench", "single", division, (Group(None, (Selector(),)),), **rules)  # type: ignore[arg-type]


def _static(members: Sequence[Member]) -> tuple[Policy, int]:
    """Return weights 1 to 5 by region, five replicas a cluster."""
    weights = tuple(
        (Selector(regions=(region,)), 1 + number % 5) for number, region in enumerate(_regions(members))
    )
    return _policy(Division.STATIC, weights=weights), 5 * len(members)


def _dynamic(members: Sequence[Member]) -> tuple[Policy, int]:
    """Return weights by room, five replicas a cluster."""
    return _policy(Division.DYNAMIC), 5 * len(members)


def _duplicated(members: Sequence[Member]) -> tuple[Policy, int]:
    """Return five replicas on every cluster."""
    del members
    return _policy(Division.DUPLICATED), 5


def _spread(members: Sequence[Member]) -> tuple[Policy, int]:
    """Return half of the regions and a fifth of the clusters at most, seven replicas for each of these."""
    regions = Limits(2, max(3, len(_regions(members)) // 2))
    clusters = Limits(3, len(members) // 5)
    return _policy(Division.DYNAMIC, regions=regions, clusters=clusters), 7 * len(members) // 5


def _spread_few(members: Sequence[Member]) -> tuple[Policy, int]:
    """Return two or three regions and two to five clusters, as small policies say; a hundred replicas."""
    del members
    return _policy(Division.DYNAMIC, regions=Limits(2, 3), clusters=Limits(2, 5)), 100


def _aggregated(members: Sequence[Member]) -> tuple[Policy, int]:
    """Return five replicas a cluster, which about a sixth of the clusters can hold."""
    return _policy(Division.AGGREGATED), 5 * len(members)


def _aggregated_spread(members: Sequence[Member]) -> tuple[Policy, int]:
    """Return as few clusters as will do in two to four regions, a dozen replicas for each that four have."""
    few = _policy(Division.AGGREGATED, regions=Limits(2, 4), clusters=Limits(2, len(members)))
    return few, 12 * 4 * len(members) // len(_regions(members))


def _tiers(members: Sequence[Member]) -> tuple[Policy, int]:
    """Return a tenth of the clusters first, and all others as overflow; five replicas a cluster."""
    names = [member.name for member in members]
    first = len(names) // 10
    tiers = (Selector(names=tuple(names[:first])), Selector(names=tuple(names[first:])))
    return replace(_policy(Division.DYNAMIC), groups=(Group("primary", tiers),)), 5 * len(names)


def _groups(members: Sequence[Member]) -> tuple[Policy, int]:
    """Return three affinity groups, the first of which is too small."""
    names = [member.name for member in members]
    tenth = len(names) // 10
    parts = (names[:tenth], names[tenth : 5 * tenth], names[5 * tenth :])
    groups = tuple(
        Group(f"group-{number}", (Selector(names=tuple(part)),)) for number, part in enumerate(parts, 1)
    )
    return replace(_policy(Division.DYNAMIC), groups=groups), 8 * len(names)


RULES: Mapping[str, Callable[[Sequence[Member]], tuple[Policy, int]]] = MappingProxyType(
    {
        "static": _static,
        "dynamic": _dynamic,
        "duplicated": _duplicated,
        "spread": _spread,
        "spread-few": _spread_few,
        "spread-growing": _spread,
        "aggregated": _aggregated,
        "aggregated-spread": _aggregated_spread,
        "tiers": _tiers,
        "groups": _groups,
    }
)
"""How a policy and a number of replicas are made for some clusters, by name of the rule."""


def single_rule(rule: str, clusters: int, seed: int = 0) -> Problem:
    """Make one workload under a rule; under `spread-growing` three quarters of it run already.

    Parameters
    ----------
    rule
        A name of `RULES`.
    clusters
        How many there are, in regions of five to fifty.
    seed
        The same seed gives the same problem.
    """
    chance = random.Random(f"single {rule} {clusters} {seed}")
    members = _members(clusters, chance)
    policy, replicas = RULES[rule](members)
    app = App(policy, "web", "Deployment", replicas, {CPU: 500, MEMORY: 1024})
    if rule == "spread-growing":
        placed = Ledger(members).place(replace(app, replicas=3 * replicas // 4))
        assert placed is not None, "the clusters have room for everything"
        app = replace(placed, replicas=replicas)
    return fairlead.load(documents(Fleet(members, (app,))))


def _members(clusters: int, chance: random.Random) -> tuple[Member, ...]:
    """Make clusters with room for 10 to 60 replicas."""
    regions = {100: 10, 1_000: 25}.get(clusters, max(5, clusters // 50))
    members = []
    for number in range(clusters):
        offered = {CPU: chance.randint(10, 60) * 500, MEMORY: chance.randint(10, 80) * 1024, PODS: 110}
        members.append(Member(f"member{number:04d}", f"region-{number % regions:03d}", "aws", offered, {}))
    return tuple(members)


def measure_rules(clusters: Sequence[int], rules: Sequence[str] = tuple(RULES), *, repeat: int) -> list[str]:
    """Print milliseconds by rule and number of clusters; return what is missed.

    Parameters
    ----------
    clusters
        Numbers of clusters.
    rules
        Names of `RULES`.
    repeat
        How often each is measured; the median counts.
    """
    missed: list[str] = []
    _warm_up()
    print("\nOne workload under every ordinary rule, beside the Karmada dispenser; median milliseconds")
    print(f"{'clusters':>8} {'rule':<18} {'fairlead':>10} {'bar':>6} {'karmada':>10} {'ratio':>7}")
    for count in clusters:
        for rule in rules:
            problem = single_rule(rule, count)
            ours = _run(problem, _fairlead, repeat)
            theirs = _run(problem, _karmada, repeat)
            bar = BARS.get((rule, count))
            head = f"{count:>8} {rule:<18} {ours.milliseconds:>10.1f} {'' if bar is None else f'{bar:g}':>6}"
            ratio = ours.milliseconds / theirs.milliseconds
            state = "proven" if ours.proven else f"NOT PROVEN ({ours.state})"
            print(
                f"{head} {theirs.milliseconds:>10.1f} {ratio:>7.2f}  {state}; karmada: {theirs.state}",
                flush=True,
            )
            name = f"{rule}, {count} clusters"
            if not ours.proven:
                missed.append(f"{name}: not proven ({ours.state})")
            if bar is not None and ours.milliseconds > bar:
                missed.append(f"{name}: {ours.milliseconds:.1f} ms, {bar:g} ms allowed")
    return missed


def _warm_up() -> None:
    """Import everything, so that it is not measured."""
    for rule in ("static", "spread-few"):
        _fairlead(single_rule(rule, 20))
        _karmada(single_rule(rule, 20))


def _fairlead(problem: Problem) -> fairlead.Outcome:
    """Solve as a user does."""
    return fairlead.solve(problem, time_limit=TIME_LIMIT)


def _karmada(problem: Problem) -> fairlead.Outcome:
    """Ask what stands in for Karmada's scheduler."""
    return fairlead.dispense(problem, "karmada")


def _run(problem: Problem, ask: Callable[[Problem], fairlead.Outcome], repeat: int) -> Run:
    """Ask several times, each time anew; the first time warms up, and counts only where it takes long."""
    first, outcome = _timed(problem, ask)
    times = [first]
    if first < 1000 * LONG:
        times = [_timed(problem, ask)[0] for _ in range(repeat)]
    broken = () if outcome.placement is None else fairlead.check(problem, outcome.placement)
    state = f"{len(broken)} rules broken" if broken else "valid"
    if outcome.placement is None:
        state = "no placement"
    proven = outcome.status is fairlead.Status.OPTIMAL and state == "valid"
    return Run(statistics.median(times), state, proven)


def _timed(problem: Problem, ask: Callable[[Problem], fairlead.Outcome]) -> tuple[float, fairlead.Outcome]:
    """Ask once; return milliseconds and the answer."""
    # A copy has none of what a problem remembers of itself.
    fresh = replace(problem)
    started = time.perf_counter()
    outcome = ask(fresh)
    return 1000 * (time.perf_counter() - started), outcome


def main() -> int:
    """Measure what is asked for; the exit code is 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--clusters", default="100,1000", help="such as 100,1000,5000")
    parser.add_argument("--rules", default=",".join(RULES))
    parser.add_argument("--repeat", type=int, default=7)
    arguments = parser.parse_args()
    clusters = [int(count) for count in arguments.clusters.split(",")]
    missed = measure_rules(clusters, arguments.rules.split(","), repeat=arguments.repeat)
    for line in missed:
        print(f"MISSED {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
