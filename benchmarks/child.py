"""One measurement, in a process of its own: `python child.py CASE SEED CONTENDER SECONDS WORKERS FILE`.

The file gets the result as JSON. What solvers print goes to standard output and means nothing.
"""

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

from measuring import measured_here
from registry import CASES


def main() -> None:
    """Measure and write."""
    name, seed, contender, seconds, workers, file = sys.argv[1:]
    problem = CASES[name].make(int(seed))
    result = measured_here(name, problem, contender, float(seconds), int(workers))
    Path(file).write_text(json.dumps(asdict(replace(result, seed=int(seed)))))


if __name__ == "__main__":
    main()
