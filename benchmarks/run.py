"""Measure fairlead against contenders in the same run; values are checked, only ratios count.

Absolute times depend on the machine and on what else runs there; the ratios hardly do.

    python benchmarks/run.py            # short: about a minute
    python benchmarks/run.py --full     # more sizes and repetitions
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cases import single, stream
from contenders import CONTENDERS, Result
from spread import measure_spread

# Milliseconds that the real Karmada scheduler needs for the same job on a comparable machine.
KARMADA = {100: 0.83, 1_000: 10.8, 5_000: 66.0}
# Median milliseconds that must not be passed.
LIMITS = {
    ("fairlead (exact)", 100): 2,
    ("fairlead (exact)", 1_000): 11,
    ("fairlead (exact)", 5_000): 42,
    ("fairlead (CP-SAT)", 100): 100,
    ("fairlead (CP-SAT)", 1_000): 2_000,
}


def main() -> int:
    """Run all benchmarks; the exit code is 1 where a limit was passed or a value is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--full", action="store_true", help="more sizes and repetitions")
    full = parser.parse_args().full
    failures = measure_single(full=full) + measure_spread(full=full)
    failures += measure_start(repeat=15 if full else 7) + measure_load()
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


def measure_single(*, full: bool) -> list[str]:
    """One workload with static weights and bounds, over cluster counts and measures."""
    failures: list[str] = []
    print("One workload, static weights 1 to 5, bounds, three resources; median milliseconds")
    head = f"{'clusters':>8} {'measure':<8} {'contender':<18} {'ms':>10}"
    print(f"{head} {'proven':<7} {'deviation':>14}  ratio to exact")
    for clusters in (100, 1_000, 5_000):
        for deviation in ("webster", "l1"):
            exact: Result | None = None
            for name in CONTENDERS:
                if _skipped(name, clusters, deviation, full=full):
                    continue
                result = _median(
                    name, clusters, deviation, repeat=(15 if full else 7) if "exact" in name else 3
                )
                exact = exact or result
                failures += _judge(name, clusters, deviation, result, exact)
                ratio = result.milliseconds / exact.milliseconds
                value = "none" if result.deviation is None else f"{result.deviation:.6g}"
                shown = "yes" if result.proven else "no"
                row = f"{clusters:>8} {deviation:<8} {name:<18} {result.milliseconds:>10.2f}"
                print(f"{row} {shown:<7} {value:>14}  {ratio:.1f}")
        print(f"{clusters:>8} {'':<8} {'Karmada (recorded)':<18} {KARMADA[clusters]:>10.2f}")
    return failures


def _skipped(name: str, clusters: int, deviation: str, *, full: bool) -> bool:
    """Leave out what takes minutes or does not exist."""
    if name == "naive CP-SAT":
        return deviation != "l1" or (clusters > 1_000 and not full)
    return name == "fairlead (CP-SAT)" and clusters > 1_000 and not full


def _median(name: str, clusters: int, deviation: str, repeat: int) -> Result:
    """Run a contender on fresh problems and return the run of median time."""
    runs = [CONTENDERS[name](single(clusters, seed=1), deviation, 20.0) for _ in range(repeat + 1)][1:]
    return sorted(runs, key=lambda run: run.milliseconds)[len(runs) // 2]


def _judge(name: str, clusters: int, deviation: str, result: Result, exact: Result) -> list[str]:
    """Compare a result with its limit and with the exact value."""
    wrong: list[str] = []
    limit = LIMITS.get((name, clusters))
    if limit is not None and result.milliseconds > limit:
        wrong.append(
            f"{name}, {clusters} clusters, {deviation}: {result.milliseconds:.1f} ms, limit {limit} ms"
        )
    if result.proven and result.deviation != exact.deviation:
        wrong.append(
            f"{name}, {clusters} clusters, {deviation}: {result.deviation} proven, {exact.deviation} is exact"
        )
    return wrong


def measure_start(repeat: int) -> list[str]:
    """How long imports and the help page take, in new processes."""
    commands = {
        "import pydantic": ["-c", "import pydantic"],
        "import fairlead": ["-c", "import fairlead"],
        "fairlead --help": ["-m", "fairlead", "--help"],
    }
    nothing = _process([], repeat)
    seconds = {name: _process(command, repeat) - nothing for name, command in commands.items()}
    first = seconds["import fairlead"] / seconds["import pydantic"]
    second = seconds["fairlead --help"] / seconds["import fairlead"]
    print(f"\nimport fairlead / import pydantic: {first:.2f} (limit 2.5)")
    print(f"fairlead --help / import fairlead: {second:.2f} (limit 2)")
    wrong = [] if first <= 2.5 else [f"import fairlead takes {first:.2f} times import pydantic"]
    if second > 2:
        wrong.append(f"fairlead --help takes {second:.2f} times import fairlead")
    return wrong


def _process(arguments: list[str], repeat: int) -> float:
    """Return the median seconds of a Python process."""
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        subprocess.run([sys.executable, *(arguments or ["-c", ""])], check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def measure_load() -> list[str]:
    """Load 1,000 clusters and 1,000 bindings from one kubectl List, in a process of its own."""
    # ru_maxrss would count this process as well, from which the new one is forked; VmHWM starts afresh.
    code = (
        "import re, sys, time; import fairlead; t = time.perf_counter(); fairlead.load(sys.argv[1]);"
        "kibibytes = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1];"
        "print(time.perf_counter() - t, int(kibibytes) / 1024)"
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "stream.yaml"
        file.write_text(stream(1_000, 1_000, seed=1))
        size = file.stat().st_size / 2**20
        done = subprocess.run(
            [sys.executable, "-c", code, str(file)], check=True, capture_output=True, text=True
        )
    seconds, memory = (float(number) for number in done.stdout.split())
    print(f"\n1,000 clusters and 1,000 bindings, {size:.1f} MiB of YAML:")
    print(f"{seconds:.1f} s (limit 10), {memory:.0f} MiB (limit 500)")
    return [] if seconds <= 10 and memory <= 500 else [f"loading takes {seconds:.1f} s and {memory:.0f} MiB"]


if __name__ == "__main__":
    sys.exit(main())
