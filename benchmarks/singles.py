"""Measure one workload over many clusters, in milliseconds of CPU; values are compared, ratios count."""

import statistics
import time
from dataclasses import dataclass, replace

import numpy as np
from answers import Effort
from cases import single
from contenders import CONTENDERS
from numpy.typing import NDArray
from trend import Ratio

import fairlead
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem

# Milliseconds that the real Karmada scheduler needs for the same job on a comparable machine.
KARMADA = {100: 0.83, 1_000: 10.8, 5_000: 66.0}
# Median milliseconds of CPU that must not be passed.
LIMITS = {
    ("fairlead", 100): 2,
    ("fairlead", 1_000): 1.5,
    ("fairlead", 5_000): 6,
    ("fairlead CP-SAT", 100): 100,
    ("fairlead CP-SAT", 1_000): 2_000,
}
TIME_LIMIT = 20.0
NAMES = ("fairlead", "fairlead CP-SAT", "naive CP-SAT")


@dataclass(frozen=True, slots=True)
class Result:
    """CPU time, deviation by the pure scorer (None where no placement is valid), and what is claimed."""

    milliseconds: float
    deviation: float | None
    proven: bool


def measure_single(ratios: list[Ratio], *, full: bool) -> list[str]:
    """Measure one workload with static weights and bounds, over cluster counts and measures."""
    failures: list[str] = []
    print("One workload, static weights 1 to 5, bounds, three resources; median milliseconds of CPU")
    head = f"{'clusters':>8} {'measure':<8} {'contender':<18} {'ms':>10}"
    print(f"{head} {'proven':<7} {'deviation':>14}  ratio to fairlead")
    for clusters, recorded in KARMADA.items():
        for deviation in (Deviation.WEBSTER, Deviation.L1):
            exact: Result | None = None
            for name in NAMES:
                if _skipped(name, clusters, deviation, full=full):
                    continue
                result = _median(name, clusters, deviation, repeat=_repeats(name, full=full))
                exact = exact or result
                failures += _judge(name, clusters, deviation, result, exact)
                ratio = result.milliseconds / exact.milliseconds
                value = "none" if result.deviation is None else f"{result.deviation:.6g}"
                shown = "yes" if result.proven else "no"
                if name == NAMES[0]:
                    # As many as the costs of forty units a cluster: with these in order all would be known.
                    sorting = 1000 * sorting_of(np.random.default_rng(0).random((1, 40 * clusters)))
                    about = f"single {clusters:,} {deviation.value}"
                    ratios.append(Ratio(about, "NumPy sort", result.milliseconds / sorting))
                    print(f"{clusters:>8} {'':<8} {'NumPy sort':<18} {sorting:>10.2f}")
                row = f"{clusters:>8} {deviation.value:<8} {name:<18} {result.milliseconds:>10.2f}"
                print(f"{row} {shown:<7} {value:>14}  {ratio:.1f}", flush=True)
        print(f"{clusters:>8} {'':<8} {'Karmada (recorded)':<18} {recorded:>10.2f}")
    return failures


def sorting_of(values: NDArray[np.float64]) -> float:
    """Return the median seconds of CPU that NumPy needs to sort every row."""
    times = []
    for _ in range(7):
        started = time.process_time()
        np.sort(values)
        times.append(time.process_time() - started)
    return statistics.median(times)


def _repeats(name: str, *, full: bool) -> int:
    """Return how often a contender is measured."""
    if name == "fairlead":
        return 15 if full else 7
    return 3 if full else 1


def _skipped(name: str, clusters: int, deviation: Deviation, *, full: bool) -> bool:
    """Leave out what takes minutes or does not exist."""
    if name == "naive CP-SAT":
        return deviation is not Deviation.L1 or (clusters > 100 and not full)
    return name == "fairlead CP-SAT" and clusters > 1_000 and not full


def _median(name: str, clusters: int, deviation: Deviation, repeat: int) -> Result:
    """Run a contender on fresh problems and return the run of median time; the first run warms up."""
    runs = [_once(name, replace(single(clusters, seed=1), deviation=deviation)) for _ in range(repeat + 1)]
    return sorted(runs[1:], key=lambda run: run.milliseconds)[len(runs[1:]) // 2]


def _once(name: str, problem: Problem) -> Result:
    """Run a contender once, with one thread where it has a choice, and let the pure scorer judge it."""
    started = time.process_time()
    answer = CONTENDERS[name].solve(problem, Effort(TIME_LIMIT, 1))
    milliseconds = 1000 * (time.process_time() - started)
    if answer.placement is None or fairlead.check(problem, answer.placement):
        return Result(milliseconds, None, proven=False)
    value = fairlead.score(problem, answer.placement)[0].value
    return Result(milliseconds, float(value), answer.proven)


def _judge(name: str, clusters: int, deviation: Deviation, result: Result, exact: Result) -> list[str]:
    """Compare a result with its limit and with the exact value."""
    wrong: list[str] = []
    limit = LIMITS.get((name, clusters))
    about = f"{name}, {clusters} clusters, {deviation.value}"
    if limit is not None and result.milliseconds > limit:
        wrong.append(f"{about}: {result.milliseconds:.1f} ms, limit {limit} ms of CPU")
    if result.proven and result.deviation != exact.deviation:
        wrong.append(f"{about}: {result.deviation} proven, {exact.deviation} is exact")
    return wrong
