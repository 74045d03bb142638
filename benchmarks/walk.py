"""Walk over small random problems and compare every answer with brute force.

    python benchmarks/walk.py --seeds 0-9999          # about half an hour on one core
    python benchmarks/walk.py --seeds 17 --show       # one problem and its answer

The exit code is 1 where an answer, a bound or a proof is wrong.
"""

import argparse
import sys
import traceback
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))

import fairlead
from walk_problems import walk_problem
from walking import best_of, walk


def main() -> int:
    """Walk; the exit code is 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", default="0-999", help="such as 3 or 0-9999")
    parser.add_argument("--show", action="store_true", help="print problems and answers")
    arguments = parser.parse_args()
    first, _, last = arguments.seeds.partition("-")
    wrong = 0
    for seed in range(int(first), int(last or first) + 1):
        if arguments.show:
            _show(seed)
        faults = _walked(seed)
        wrong += bool(faults)
        for fault in faults:
            print(fault, flush=True)
        if seed % 1000 == 999:
            print(f"{seed + 1 - int(first)} problems, {wrong} wrong", flush=True)
    print(f"{int(last or first) + 1 - int(first)} problems, {wrong} wrong")
    return 1 if wrong else 0


def _walked(seed: int) -> list[str]:
    """Return what is wrong with one answer; an exception is wrong too."""
    try:
        return walk(seed)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is reported with its seed
        places = [
            f"{Path(place.filename).name}:{place.lineno}"
            for place in traceback.extract_tb(error.__traceback__)[-4:]
        ]
        return [f"seed {seed}: {type(error).__name__} at {' '.join(places)}: {error}"]


def _show(seed: int) -> None:
    """Print one problem, its answer and the best there is."""
    problem = walk_problem(seed)
    for cluster in problem.clusters:
        print(cluster)
    for workload in problem.workloads:
        print(workload)
    print(problem.rules, problem.levels, problem.deviation)
    print(fairlead.solve(problem, time_limit=30.0, workers=1))
    inside, best = best_of(problem)
    print({workload.key: workload.group for workload in inside.workloads}, best)


if __name__ == "__main__":
    sys.exit(main())
