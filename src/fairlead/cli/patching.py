"""What to apply: patches to standard output, or a file for every wave."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal, assert_never

from fairlead.cli import console, outputs

if TYPE_CHECKING:
    from fairlead.models.outcome import Outcome
    from fairlead.solver.plan.answer import RebalancePlan

Output = Literal["patch", "status-patch"]
OUTPUTS: tuple[Output, ...] = ("patch", "status-patch")
"""Formats for ``kubectl apply``: of the objects, and of their status."""


def show(outcome: "Outcome", output: Output) -> None:
    """Print patches; where there is no placement, or nothing changes, that is a note."""
    if outcome.placement is None:
        say_why(outcome)
        return
    from fairlead.report.patch_files import patch_text

    match output:
        case "patch":
            text = patch_text(outcome)
        case "status-patch":
            text = patch_text(outcome, "status")
        case _:
            assert_never(output)
    if text:
        console.result(text.rstrip("\n"))
    else:
        console.note("nothing to change")


def say_why(outcome: "Outcome") -> None:
    """Say why there is no placement."""
    from fairlead.report.content.outcome import explanation, verdict

    console.note("\n".join([verdict(outcome), *explanation(outcome)]))


def write_waves(plan: "RebalancePlan", directory: str) -> None:
    """Write a file for every wave, and say which."""
    from fairlead.report.patch_files import wave_files

    files = wave_files(plan)
    for name, text in files.items():
        outputs.write(str(Path(directory) / name), text)
    if files:
        console.note(f"written to {directory}: {', '.join(files)}")
