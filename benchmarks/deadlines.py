"""Time limits: every command on every kind of problem, down to 0.05 s; who is late or worse than the floor.

    python benchmarks/deadlines.py --cases batch-1000x50-l1 fleet-300x30-scale --limits 0.05 1

Every call has one worker, and what is measured is the processor time where that is less than the wall time:
a busy machine makes nobody late.
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from registry import CASES

import fairlead
from fairlead.models.outcome import Outcome
from fairlead.models.problem import Problem
from fairlead.models.score import better, score
from fairlead.models.variants import in_full
from fairlead.solver.floor import keep_and_repair, place_greedily, standing_well
from fairlead.solver.running.deadline import Deadline

LIMITS = (0.05, 0.2, 0.5, 1.0, 3.0)
SHARE = 1.1
MORE = 0.3
"""A limit is kept by who ends after `SHARE` of it and `MORE` seconds."""

NAMES = (
    "fleet-60x12-scale",
    "fleet-60x12-drain",
    "fleet-300x30-scale",
    "fleet-1000x50-scale",
    "batch-200x20-l1",
    "batch-1000x50-l1",
    "batch-1000x50-webster",
    "mixed-1000x50",
    "tiers-1000x50",
    "priorities-1000x50-l1",
    "scarce-1000x50",
    "openb",
    "planted-1000x50",
)

Call = Callable[[Problem, float], Outcome | None]


def _solve(problem: Problem, limit: float) -> Outcome:
    """Place everything."""
    return fairlead.solve(problem, time_limit=limit, workers=1)


def _partial(problem: Problem, limit: float) -> Outcome:
    """Place what fits."""
    return fairlead.solve(problem, time_limit=limit, workers=1, partial=True)


def _plan(problem: Problem, limit: float) -> Outcome:
    """Plan the way there."""
    return fairlead.plan(problem, time_limit=limit, workers=1).outcome


def _lose(problem: Problem, limit: float) -> None:
    """Lose one cluster."""
    name = problem.clusters[0].name
    fairlead.simulate(problem, fairlead.Lose(name), time_limit=limit, workers=1)


def _sweep(problem: Problem, limit: float) -> None:
    """Lose every region in turn, or every cluster where there are none."""
    kind = "region" if any(each.region for each in problem.clusters) else "cluster"
    fairlead.simulate(problem, sweep=kind, time_limit=limit, workers=1)


def _why(problem: Problem, limit: float) -> Outcome | None:
    """Ask about the first workload; not where rules may give way, which `why` does not explain yet."""
    if problem.partial:
        return None
    return fairlead.why(problem, problem.workloads[0].key, time_limit=limit, workers=1).outcome


def _compare(problem: Problem, limit: float) -> Outcome:
    """Compare with the reference dispenser."""
    return fairlead.compare(problem, ["reference"], time_limit=limit, workers=1).best


CALLS: Mapping[str, Call] = MappingProxyType(
    {
        "solve": _solve,
        "partial": _partial,
        "plan": _plan,
        "lose": _lose,
        "sweep": _sweep,
        "why": _why,
        "compare": _compare,
    }
)


@dataclass(frozen=True, slots=True)
class Run:
    """One call.

    Parameters
    ----------
    limit, seconds
        What it was given and what it took.
    late
        Seconds that it ended too late; 0 where it kept its limit.
    remark
        What it found, and what is wrong with that.
    worse
        True where the answer is worse than the floor.
    """

    limit: float
    seconds: float
    late: float
    remark: str
    worse: bool


def run(call: Call, problem: Problem, limit: float) -> Run:
    """Call once and judge."""
    started, used = time.perf_counter(), time.process_time()
    outcome = call(problem, limit)
    seconds = min(time.perf_counter() - started, time.process_time() - used)
    late = max(0.0, seconds - SHARE * limit - MORE)
    remark, worse = ("", False) if outcome is None else _judged(outcome)
    return Run(limit, seconds, late, remark, worse)


def _judged(outcome: Outcome) -> tuple[str, bool]:
    """Return what was found, and whether keeping and repairing at once finds better."""
    problem = outcome.problem
    kept = keep_and_repair(in_full(problem), standing_well(problem), Deadline.after(0))
    greedy = place_greedily(problem, Deadline.after(0)) if problem.partial else None
    floor = better(problem, kept, greedy)
    if floor is None:
        return str(outcome.status), False
    if outcome.placement is None:
        return f"{outcome.status}, although a placement is known", True
    mine = [level.value for level in score(problem, outcome.placement)]
    least = [level.value for level in score(problem, floor)]
    return f"{outcome.status}{', worse than the floor' if mine > least else ''}", mine > least


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all and print a table; return how many were late or worse than the floor."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", nargs="+", choices=sorted(CASES), default=NAMES, metavar="CASE")
    parser.add_argument("--calls", nargs="+", choices=CALLS, default=tuple(CALLS), metavar="CALL")
    parser.add_argument("--limits", nargs="+", type=float, default=LIMITS, metavar="SECONDS")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    fairlead.solve(CASES["batch-50x10-l1"].make(0), time_limit=1, workers=1)  # so that all is imported
    wrong = 0
    for name in asked.cases:
        problem = CASES[name].make(asked.seed)
        for call in asked.calls:
            for limit in asked.limits:
                done = run(CALLS[call], problem, limit)
                bad = done.late > 0 or done.worse
                wrong += bad
                late = f"late by {done.late:.2f} s" if done.late else ""
                row = f"{name:24} {call:8} {limit:5g} s: {done.seconds:6.2f} s  {done.remark}  {late}"
                print(f"{'!!' if bad else '  '} {row.rstrip()}", flush=True)
    print(f"{wrong} late or worse than the floor")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
