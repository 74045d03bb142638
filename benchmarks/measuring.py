"""Measure one contender on one case; the pure checker and scorer judge what it returns."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from answers import Answer, Effort, NotApplicableError, Point
from contenders import CONTENDERS

import fairlead
from fairlead.models.levels import MOVES_FIRST, MOVES_UNCHANGED
from fairlead.models.problem import Problem
from fairlead.models.score import levels_of

# A solver that has not come back after so many times its limit, and so many seconds more, is ended.
PATIENCE = 3
MORE_PATIENCE = 120


@dataclass(frozen=True, slots=True)
class LevelMeasure:
    """One level of a placement.

    Parameters
    ----------
    name
        Name of the level.
    value
        What the placement costs by the pure scorer; None where there is no valid placement.
    bound
        What the contender says that every placement costs at least; None where it says nothing.
    gap
        Their distance as a part of the value, computed exactly; 0 within the tolerance of the level, None
        where one of them is missing.
    leading
        True for the levels up to the moves of what keeps running.
    """

    name: str
    value: float | None
    bound: float | None
    gap: float | None
    leading: bool = False


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured of a contender on a case.

    Parameters
    ----------
    case, contender
        Names.
    limit
        Time limit in seconds.
    seconds
        Wall time that it took.
    state
        ``valid``: a placement that keeps all rules. ``invalid``: one that breaks some. ``none``: no
        placement. ``bound``: only a bound was asked for. ``not applicable``: its model does not know a rule.
        ``failed``: it raised an error or had to be ended.
    remark
        What is to be known: the first broken rule, the error.
    proven
        True where it says that its placement is the best.
    levels
        Values and bounds, the most important level first; without values unless valid.
    mebibytes
        Greatest memory of the process (VmHWM), the problem itself included.
    points
        How values and bounds got better, as the contender told.
    seed
        From which the problem was made.
    """

    case: str
    contender: str
    limit: float
    seconds: float
    state: str
    remark: str = ""
    proven: bool = False
    levels: tuple[LevelMeasure, ...] = ()
    mebibytes: float = 0.0
    points: tuple[Point, ...] = ()
    seed: int = 0

    @property
    def gap(self) -> float | None:
        """Greatest gap of all levels; None where one is unknown."""
        gaps = [level.gap for level in self.levels]
        known = [gap for gap in gaps if gap is not None]
        return max(known) if known and len(known) == len(gaps) and self.state == "valid" else None

    @property
    def values(self) -> tuple[float | None, ...]:
        """Values of all levels; empty where the placement is not valid."""
        return tuple(level.value for level in self.levels) if self.state == "valid" else ()

    @property
    def value(self) -> float | None:
        """Value of the only level; None where there are several, or no valid placement."""
        return self.values[0] if len(self.values) == 1 else None

    @property
    def bound(self) -> float | None:
        """Bound of the only level; None where there are several, or nothing is known."""
        return self.levels[0].bound if len(self.levels) == 1 else None


def measured_here(case: str, problem: Problem, contender: str, seconds: float, workers: int) -> Measurement:
    """Measure in this process.

    Parameters
    ----------
    case, contender
        Names.
    problem
        The problem of the case.
    seconds
        Time limit.
    workers
        Threads.
    """
    effort = Effort(seconds, workers)
    try:
        answer = CONTENDERS[contender].solve(problem, effort)
    except NotApplicableError as error:
        return Measurement(case, contender, seconds, 0.0, "not applicable", str(error))
    return of_answer(case, problem, contender, answer, effort)


def of_answer(case: str, problem: Problem, contender: str, answer: Answer, effort: Effort) -> Measurement:
    """Judge an answer that has just come.

    Parameters
    ----------
    case, contender
        Names.
    problem, answer
        What was asked and what came.
    effort
        What the contender was given.
    """
    taken, memory = effort.elapsed, _peak()
    state, remark = _judged(problem, answer, bound_only=contender.startswith("LP bound"))
    levels = _levels(problem, answer, scored=state == "valid")
    proven = answer.proven and state == "valid"
    points = tuple(effort.points)
    return Measurement(case, contender, effort.seconds, taken, state, remark, proven, levels, memory, points)


def _judged(problem: Problem, answer: Answer, *, bound_only: bool) -> tuple[str, str]:
    """Return the state of an answer and a remark."""
    if bound_only:
        return "bound", ""
    if answer.placement is None:
        return "none", ""
    broken = fairlead.check(problem, answer.placement)
    if problem.partial:
        # What gives way in a partial placement is a matter of levels; all else has to hold.
        broken = tuple(violation for violation in broken if not violation.gives_way)
    return ("invalid", f"{len(broken)} broken, first: {broken[0].text}") if broken else ("valid", "")


def _levels(problem: Problem, answer: Answer, *, scored: bool) -> tuple[LevelMeasure, ...]:
    """Return names, values and bounds of the levels."""
    attained = fairlead.score(problem, answer.placement or fairlead.Placement({}))
    bounds = (*answer.bounds, *(None for _ in attained))
    slack = (*answer.slack, *(Fraction(0) for _ in attained))
    leading = _leading(problem)
    return tuple(
        LevelMeasure(
            level.name,
            float(level.value) if scored else None,
            None if bound is None else float(bound),
            gap_of(level.value, bound, within) if scored and bound is not None else None,
            number < leading,
        )
        for number, (level, bound, within) in enumerate(zip(attained, bounds, slack, strict=False))
    )


def _leading(problem: Problem) -> int:
    """Return how many levels there are up to the moves of what keeps running; 0 where nothing does."""
    keeping = (MOVES_UNCHANGED, MOVES_FIRST)
    places = [number for number, level in enumerate(levels_of(problem), 1) if level.base in keeping]
    return max(places, default=0)


def gap_of(value: int | Fraction, bound: Fraction | float, slack: Fraction = Fraction(0)) -> float:
    """Return the distance of a value from its bound as a part of the value; 0 within the slack."""
    distance = Fraction(value) - Fraction(bound)
    if 0 <= distance <= slack:
        return 0.0
    return float(distance / abs(Fraction(value))) if value else float(distance)


def _peak() -> float:
    """Return the greatest memory that this process has had, in MiB.

    `ru_maxrss` would not do: it starts with what the parent had.
    """
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def measure(case: str, contender: str, seconds: float, workers: int, seed: int = 0) -> Measurement:
    """Measure in a new process, so that neither memory nor what a solver left behind counts twice.

    Parameters
    ----------
    case, contender
        Names in the registries.
    seconds
        Time limit.
    workers
        Threads.
    seed
        From which the problem is made.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "measurement.json"
        command = [sys.executable, str(Path(__file__).parent / "child.py"), case, str(seed), contender]
        try:
            done = subprocess.run(
                [*command, str(seconds), str(workers), str(file)],
                check=False,
                capture_output=True,
                text=True,
                timeout=PATIENCE * seconds + MORE_PATIENCE,
            )
        except subprocess.TimeoutExpired as error:
            taken = float(error.timeout)
            return Measurement(
                case, contender, seconds, taken, "failed", f"ended after {taken:.0f} s", seed=seed
            )
        if done.returncode or not file.exists():
            last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            return Measurement(case, contender, seconds, 0.0, "failed", last, seed=seed)
        return from_dict(json.loads(file.read_text()))


def from_dict(data: Mapping[str, Any]) -> Measurement:
    """Return a measurement that was written as JSON."""
    levels = tuple(LevelMeasure(**level) for level in data["levels"])
    points = tuple(Point(**point) for point in data["points"])
    return Measurement(**{**data, "levels": levels, "points": points})
