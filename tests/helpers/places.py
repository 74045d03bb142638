"""Where things stand in the repository."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
DATA = ROOT / "tests" / "data"
