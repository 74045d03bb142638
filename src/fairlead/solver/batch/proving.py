"""Small parts of the work given to CP-SAT as a whole: what is left open, or all of a small batch."""

import numpy as np

from fairlead.models.errors import InternalError
from fairlead.solver.batch.bound import ranges
from fairlead.solver.batch.known import Known
from fairlead.solver.batch.neighbourhood import Window, divide_anew
from fairlead.solver.batch.subproblem import Work
from fairlead.solver.batch.varying import window_of

# The whole batch is given to CP-SAT where at most so many pieces are left open.
MOST_OPEN = 2500
# Batches of at most so many places are divided anew as a whole, with so much counted work.
PLACES_OF_WHOLE = 1000
WORK_OF_WHOLE = 0.5


def divide_whole(known: Known) -> None:
    """Divide all rows of a small batch anew, as far as a fixed amount of work goes."""
    if known.over or known.best is None or known.best.size > PLACES_OF_WHOLE:
        return
    everything = np.arange(len(known.model.batch.keys))
    work = Work(known.deadline, 1, known.search.seed, WORK_OF_WHOLE)
    found = divide_anew(known.model, known.best, window_of(known, everything, known.best), work, exact=True)
    if found.replicas is not None:
        known.offer(found.replicas)


def prove(known: Known) -> None:
    """Give what is left open to CP-SAT, with bounds that no better placement leaves."""
    if known.over:
        return
    model = known.model
    if known.cost is None:
        lower, upper = model.batch.lower, model.batch.upper
    else:
        lower, upper = ranges(model, known.prices, known.rows, known.cost)
    if int((upper - lower).clip(0, 3).sum()) > MOST_OPEN:
        return
    everything = np.arange(len(model.batch.keys))
    replicas = model.batch.lower if known.best is None else known.best
    work = Work(known.deadline, known.search.threads, known.search.seed)
    found = divide_anew(model, replicas, Window(everything, lower, upper), work, exact=True)
    if found.replicas is not None:
        known.offer(found.replicas)
    elif found.complete and known.cost is not None:
        raise InternalError("CP-SAT calls a part of a batch infeasible of which a placement is known")
    if known.cost is None:
        known.infeasible = found.complete
    if found.bound is not None and known.cost is not None:
        known.lift(min(found.bound, known.cost))
