"""Proofs that nothing is better, by CP-SAT on what is left open."""

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from fairlead.models.errors import InternalError
from fairlead.solver.batch import tuning
from fairlead.solver.batch.dual.bound import ranges
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.model import LevelModel
from fairlead.solver.batch.primal.kicks import is_kicked, kick_and_merge
from fairlead.solver.batch.primal.large_neighbourhood import search_neighbourhoods
from fairlead.solver.batch.primal.neighbourhood import Window, divide_anew
from fairlead.solver.running.deadline import LOOK, Deadline, Stop
from fairlead.solver.running.search import RunLimits


def prove(level: Incumbent, work: float = math.inf) -> None:
    """Give what is left open to CP-SAT, with bounds that no better placement leaves."""
    if level.over or size_of(level.model, window := _open(level)) > tuning.MOST_OPEN:
        return
    effort = _effort(level, level.deadline)
    _close(level, replace(effort, workers=level.search.threads, work=min(work, effort.work)), window)


def search_and_prove(level: Incumbent) -> None:
    """Change the best placement until little is won that way, then prove that nothing is better.

    Where little is open two ways to prove are tried side by side; changes go on in the threads that are left.
    """
    if level.best is None:
        prove(level)
    elif size_of(level.model, _open(level)) <= tuning.FEW_OPEN:
        prove(level, tuning.WORK_OF_FIRST_PROOF)
    if level.best is None or level.over:
        return
    if size_of(level.model, window := _open(level)) > tuning.FEW_OPEN and not is_kicked(level):
        first = level.until(level.deadline.part(tuning.SHARE_BEFORE_PROOF))
        search_neighbourhoods(first, patience=tuning.PATIENCE_BEFORE_PROOF)
        window = _open(level)
    if not level.over and (size := size_of(level.model, window)) <= tuning.MOST_OPEN_UPWARDS:
        threads = level.search.threads
        ways = (False, True)[:threads] if size <= tuning.FEW_OPEN else (True,)
        with _proving(level, window, ways) as is_done:
            if threads > len(ways):
                others = replace(level.search, workers=threads - len(ways), seed=level.search.seed + 1)
                _change(replace(level, search=others, serves=level), is_done)
    _change(level)


def _change(level: Incumbent, done: Callable[[], bool] = lambda: False) -> None:
    """Change the best placement until it is done or little is won, by kicks first where they are quick."""
    kick_and_merge(level, done, tuning.PATIENCE_BEFORE_PROOF)
    search_neighbourhoods(level, done)


@contextmanager
def _proving(level: Incumbent, window: Window, ways: Sequence[bool]) -> Iterator[Callable[[], bool]]:
    """Prove in threads, upwards or not, until one is done or the level is over; tell when one is."""
    stop = Stop(heard=True)
    share = 1.0 if level.search.threads > 1 else tuning.SHARE_OF_PROOF
    search = level.search.until(replace(level.deadline.part(share), stop=stop))
    beside = [replace(level, search=search, serves=None, on_progress=None) for _ in ways]
    efforts = [_effort(level, search.deadline, upwards=upwards) for upwards in ways]
    with ThreadPoolExecutor(len(ways)) as pool:
        bits = tuning.BITS_OF_MANY if size_of(level.model, window) > tuning.FEW_OPEN else 0
        proofs = [pool.submit(_close, *each, window, bits) for each in zip(beside, efforts, strict=True)]

        def is_done() -> bool:
            return any(proof.done() for proof in proofs)

        try:
            yield is_done
            while not is_done() and not level.over:
                wait(proofs, LOOK, FIRST_COMPLETED)
        finally:
            stop.asked = True
    for proof, known in zip(proofs, beside, strict=True):
        proof.result()
        if known.best is not None:
            level.offer(known.best)
        level.lift(known.bound)


def size_of(model: LevelModel, window: Window) -> int:
    """Return about how many variables what is open has."""
    width = window.upper - window.lower
    return int((width if model.curve.grows else np.minimum(width, model.curve.pieces)).sum())


def _open(level: Incumbent) -> Window:
    """Return the window that no better placement leaves."""
    model = level.model
    if level.cost is None:
        lower, upper = model.batch.lower, model.batch.upper
    else:
        lower, upper = ranges(model, level.prices, level.rows, level.cost)
    return Window(np.arange(len(model.batch.keys)), lower, upper)


def _close(level: Incumbent, effort: RunLimits, window: Window, bits: int = 0) -> None:
    """Divide what is open as well as possible, and keep what that proves; first with costs cut by bits."""
    model = level.model
    found = divide_anew(model, model.batch.lower if level.best is None else level.best, window, effort, bits)
    if found.replicas is not None:
        level.offer(found.replicas)
    elif found.complete and level.cost is not None:
        raise InternalError("CP-SAT calls a part of a batch infeasible of which a placement is known")
    if level.cost is None:
        level.infeasible = found.complete
    if found.bound is not None and level.cost is not None:
        level.lift(min(found.bound, level.cost))
    if bits and found.complete and not level.closed:
        # What was cut off the costs is all that is left to decide.
        _close(level, effort, window)


def _effort(level: Incumbent, deadline: Deadline, *, upwards: bool = False) -> RunLimits:
    """Return the limits of a run that proves; without a time limit it ends by itself."""
    work = tuning.WORK_OF_PROOF if math.isinf(level.deadline.at) else math.inf
    return RunLimits(deadline, 1, level.search.seed, work, upwards=upwards)
