"""Solve running fleets after every event, and say how far each level got and whether the bar is met.

    python benchmarks/running_fleets.py --sizes 60x12 --events none,drain --seeds 0-4
    python benchmarks/running_fleets.py --sizes 300x30 --time-limit 2 --brief --without-contenders

The exit code is 1 where a bar is missed, or where an answer breaks a rule or is worse than keep-and-repair.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from answers import Answer, Effort
from bars import required, verdict
from contenders import CONTENDERS
from fleet_cases import fleet, witness
from fleet_events import EVENTS
from fleet_manifests import documents
from fleet_parts import Division, Fleet
from measuring import Measurement, of_answer
from registry import CASES, FLEETS, OURS, Bar, Case

import fairlead
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem

OTHERS = ("reference", "karmada")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for."""

    sizes: tuple[tuple[int, int], ...]
    events: tuple[str, ...]
    seeds: tuple[int, ...]
    limit: float | None
    patience: float
    workers: int | None
    brief: bool
    contenders: bool


def main() -> int:
    """Measure what is asked for; the exit code is 1 where something is missed."""
    asked = _asked()
    missed = [
        line
        for workloads, clusters in asked.sizes
        for event in asked.events
        for seed in asked.seeds
        for line in _measure(workloads, clusters, event, seed, asked)
    ]
    print(f"\n{len(missed)} missed" if missed else "\nall kept")
    for line in missed:
        print(f"  {line}")
    return 1 if missed else 0


def _measure(workloads: int, clusters: int, event: str, seed: int, asked: Asked) -> Iterator[str]:
    """Measure one fleet, print it, and yield what is missed."""
    case = CASES[f"fleet-{workloads}x{clusters}-{event}"]
    bar = case.bars[0] if asked.limit is None else replace(case.bars[0], seconds=asked.limit)
    made = fleet(workloads, clusters, seed, event)
    written = documents(made)
    started = time.perf_counter()
    problem = fairlead.load(written)
    loaded = time.perf_counter() - started
    answer, measured, cpu = _answered(
        problem, case, replace(bar, seconds=asked.patience * bar.seconds), asked
    )
    judged = measured if asked.patience == 1 else replace(measured, seconds=cpu)
    broken = [*verdict(bar, judged).missed, *_worse(problem, made, answer)]
    moves = _moves(made, answer.placement)
    print(f"\n{case.name} seed {seed}: {required(bar)}: {'MISSED' if broken else 'kept'}")
    print(
        f"  load {loaded:.2f} s, solve {measured.seconds:.2f} s (cpu {cpu:.2f} s), {measured.state},"
        f" moves {moves} (keep and repair {_moves(made, witness(made))}, forced {_forced(made)})"
    )
    if not asked.brief:
        _print_levels(measured)
    if asked.contenders:
        _print_contenders(problem, made, measured)
    for line in broken:
        print(f"  MISSED {line}", flush=True)
        yield f"{case.name} seed {seed}: {line}"


def _answered(problem: Problem, case: Case, bar: Bar, asked: Asked) -> tuple[Answer, Measurement, float]:
    """Ask fairlead; return its answer, how it is judged, and processor seconds of this process."""
    cpu = time.process_time()
    effort = Effort(bar.seconds, asked.workers or os.cpu_count() or 1)
    answer = CONTENDERS[OURS].solve(problem, effort)
    cpu = time.process_time() - cpu
    return answer, of_answer(case.name, problem, OURS, answer, effort), cpu


def _worse(problem: Problem, made: Fleet, answer: Answer) -> Iterator[str]:
    """Yield the first level on which an answer is worse than keep-and-repair; tolerances count."""
    if answer.placement is None:
        return
    ours, floor = fairlead.score(problem, answer.placement), fairlead.score(problem, witness(made))
    for level, least, bound, slack in zip(ours, floor, answer.bounds, answer.slack, strict=True):
        enough = Fraction(bound or 0) + slack
        if max(level.value, enough) > max(least.value, enough):
            found = f"{float(level.value):,.7g} instead of {float(least.value):,.7g}"
            yield f"worse than keep-and-repair: {level.name} {found}"
        if max(level.value, enough) != max(least.value, enough):
            return


def _moves(made: Fleet, placement: Placement | None) -> int | str:
    """Count replicas that are stopped in one cluster although there are not fewer of them, or of copies."""
    if placement is None:
        return "-"
    moves = 0
    for app in made.apps:
        held, placed = app.running or {}, placement.of(app.key)
        copied = app.policy.division is Division.DUPLICATED
        most = app.replicas if copied else max(held.values(), default=0)
        gone = sum(max(0, min(count, most) - placed.get(name, 0)) for name, count in held.items())
        moves += gone if copied else max(0, gone - max(0, sum(held.values()) - sum(placed.values())))
    return moves


def _forced(made: Fleet) -> int:
    """Count replicas on clusters that have to be left."""
    tainted = {member.name for member in made.members if member.taint is not None}
    return sum(count for app in made.apps for name, count in (app.running or {}).items() if name in tainted)


def _print_levels(measured: Measurement) -> None:
    """Print every level with its bound."""
    for level in measured.levels:
        bound = "?" if level.bound is None else f"{level.bound:,.9g}"
        value = "-" if level.value is None else f"{level.value:,.9g}"
        gap = "" if level.gap is None else "proven" if level.gap == 0 else f"gap {level.gap:.4%}"
        print(f"    {level.name:<28} {value:>16} {bound:>16}  {gap}")


def _print_contenders(problem: Problem, made: Fleet, ours: Measurement) -> None:
    """Print what the dispensers need for the same, and how it compares."""
    for name in OTHERS:
        effort = Effort(ours.limit, 1)
        answer = CONTENDERS[name].solve(replace(problem), effort)
        seconds = effort.elapsed
        broken = fairlead.check(problem, answer.placement or Placement({}))
        ratio = ours.seconds / seconds
        print(
            f"    {name}: {seconds:.2f} s, moves {_moves(made, answer.placement)},"
            f" {len(broken)} rules broken; fairlead takes {ratio:.1f} times as long"
        )


def _asked() -> Asked:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    sizes = ",".join(f"{workloads}x{clusters}" for workloads, clusters in FLEETS)
    parser.add_argument("--sizes", default="60x12,300x30", help=f"of {sizes}")
    parser.add_argument("--events", default=",".join(EVENTS), help=f"of {','.join(EVENTS)}")
    parser.add_argument("--seeds", default="0", help="such as 3, 1,4 or 0-9")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="instead of that of the bar")
    parser.add_argument(
        "--patience",
        type=float,
        default=1.0,
        metavar="FACTOR",
        help="on a busy machine: so many times the limit, and processor seconds are judged",
    )
    parser.add_argument("--workers", type=int, help="threads; one for every core unless given")
    parser.add_argument("--brief", action="store_true", help="leave the levels out")
    parser.add_argument("--without-contenders", action="store_true", help="leave the dispensers out")
    arguments = parser.parse_args()
    asked = [tuple(int(number) for number in size.split("x")) for size in arguments.sizes.split(",")]
    unknown = [size for size in asked if size not in FLEETS]
    strange = [event for event in arguments.events.split(",") if event not in EVENTS]
    if unknown or strange:
        parser.error(f"sizes are {sizes}, events are {','.join(EVENTS)}")
    return Asked(
        tuple((size[0], size[1]) for size in asked),
        tuple(arguments.events.split(",")),
        tuple(seeds_in(arguments.seeds)),
        arguments.time_limit,
        arguments.patience,
        arguments.workers,
        arguments.brief,
        not arguments.without_contenders,
    )


def seeds_in(text: str) -> Iterator[int]:
    """Read numbers and ranges."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def _warm_up(names: Sequence[str] = (OURS, *OTHERS)) -> None:
    """Import everything, so that it is not measured."""
    small = fairlead.load(documents(fleet(20, 8)))
    for name in names:
        CONTENDERS[name].solve(replace(small), Effort(0.5, 1))


if __name__ == "__main__":
    _warm_up()
    sys.exit(main())
