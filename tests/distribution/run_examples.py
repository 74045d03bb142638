"""
Run every example: ``fairlead solve`` answers, or finds the conflict that the example shows.

Run by ``make examples`` as ``python tests/distribution/run_examples.py EXAMPLE...`` with those that show a
conflict. All are solved in one process: beginning one takes longer than most examples.
"""

import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from fairlead.cli import exits
from fairlead.cli.app import main as fairlead


def solved(example: Path, expected: int) -> bool:
    """Solve an example and tell about it; return whether it ended with the expected exit code."""
    output = StringIO()
    with redirect_stdout(output), redirect_stderr(output):
        code = fairlead(["solve", "-f", str(example)])
    if code != expected:
        print(f"{output.getvalue()}{example}: exit code {code}, expected {expected}", file=sys.stderr)
        return False
    print(f"{example}: as expected (exit code {code})")
    return True


def main() -> int:
    """Run all examples up to the first that is not as expected; return the exit code."""
    conflicts = {Path(name) for name in sys.argv[1:]}
    examples = sorted(path for path in Path("examples").iterdir() if path.is_dir())
    if not conflicts <= set(examples):
        print(f"not among the examples: {', '.join(sorted(map(str, conflicts)))}", file=sys.stderr)
        return 2
    codes = ((example, exits.INFEASIBLE if example in conflicts else 0) for example in examples)
    return 0 if all(solved(example, code) for example, code in codes) else 1


if __name__ == "__main__":
    sys.exit(main())
