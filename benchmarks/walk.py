"""Walk over small random problems and compare every answer with brute force.

    python benchmarks/walk.py --seeds 0-9999          # about half an hour on one core
    python benchmarks/walk.py --seeds 17 --show       # one problem and its answer
    python benchmarks/walk.py --kind standing         # most workloads have no reason to be placed anew
    python benchmarks/walk.py --kind partial          # not everything has to be placed

The exit code is 1 where an answer, a bound or a proof is wrong.
"""

import argparse
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

sys.path.append(str(Path(__file__).parent.parent / "tests" / "helpers"))

import fairlead
from fairlead.models.problem import Problem
from walk_problems import partial_walk_problem, standing_problem, walk_problem
from walking import best_of, walk

MADE: Mapping[str, Callable[[int], Problem]] = MappingProxyType(
    {"any": walk_problem, "standing": standing_problem, "partial": partial_walk_problem}
)
"""What makes the problem of a seed, by kind."""


def main() -> int:
    """Walk; the exit code is 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", default="0-999", help="such as 3 or 0-9999")
    parser.add_argument("--show", action="store_true", help="print problems and answers")
    parser.add_argument("--kind", default="any", choices=sorted(MADE), help="kind of problems")
    arguments = parser.parse_args()
    first, _, last = arguments.seeds.partition("-")
    made, wrong = MADE[arguments.kind], 0
    for seed in range(int(first), int(last or first) + 1):
        if arguments.show:
            _show(made(seed))
        faults = _walked(seed, made)
        wrong += bool(faults)
        for fault in faults:
            print(fault, flush=True)
        if seed % 1000 == 999:
            print(f"{seed + 1 - int(first)} problems, {wrong} wrong", flush=True)
    print(f"{int(last or first) + 1 - int(first)} problems, {wrong} wrong")
    return 1 if wrong else 0


def _walked(seed: int, made: Callable[[int], Problem] = walk_problem) -> list[str]:
    """Return what is wrong with one answer; an exception is wrong too."""
    try:
        return walk(seed, made)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is reported with its seed
        places = [
            f"{Path(place.filename).name}:{place.lineno}"
            for place in traceback.extract_tb(error.__traceback__)[-4:]
        ]
        return [f"seed {seed}: {type(error).__name__} at {' '.join(places)}: {error}"]


def _show(problem: Problem) -> None:
    """Print one problem, its answer and the best there is."""
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
