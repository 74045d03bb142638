"""Keep and repair: what runs, less what is forbidden, plus what is missing. The floor of every search."""

from collections.abc import Collection

from fairlead.models.amounts import largest
from fairlead.models.check import shared_violations, sound
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.score import better
from fairlead.solver.batch.first_placing import are_rows, place_first
from fairlead.solver.dispensers import reference
from fairlead.solver.running.deadline import Deadline

SMALL = 500
"""Places (workloads times clusters) up to which everything is tried, whatever the time."""

FEW = 1_000
"""Places of those that do not stay up to which these are placed as well as can be, whatever the time."""

SHARE_OF_FLOOR = 0.3
"""Of the time left, what a floor may use to place workloads exactly; then the rest is placed at once."""


def keep_and_repair(
    part: Problem, staying: Collection[str], deadline: Deadline | None = None
) -> Placement | None:
    """Return a valid placement in which workloads stay that may, at once and without a search.

    All others are placed one after the other, each as well as its rules allow in what is left; where that
    leaves some without a place, so are those that could have stayed. Where time is over and there are many
    others, whatever keeps all rules will do, see `place_first`.

    Parameters
    ----------
    part
        The question.
    staying
        Keys of workloads that stand where they run now as long as that can be; they keep their own rules
        there.
    deadline
        From when on others are placed on any clusters that will do, unless they are few; None places them as
        well as can be.

    Returns
    -------
    Placement or None
        The best of what was tried; None where none of it keeps all rules.
    """
    due = deadline or Deadline()
    if is_small(part):
        # Milliseconds, so both ways are tried to the end: nothing else may be better at any deadline.
        found = better(part, repaired(part, staying), repaired(part, ()) if staying else None)
        return place_first(part) if found is None and not due.remaining() else found
    found = repaired(part, staying, due) if staying else None
    in_time = due.remaining() > 0
    if found is None and in_time:
        found = repaired(part, (), due)
    if found is None and not due.remaining():
        found = place_first(part)
    # Where all are rows, what places one after the other was tried among the first placements.
    return found if found is not None or in_time or are_rows(part) else repaired(part, (), due)


def is_small(part: Problem) -> bool:
    """Tell whether everything is tried, whatever the time."""
    return len(part.workloads) * len(part.clusters) <= SMALL


def repaired(part: Problem, staying: Collection[str], deadline: Deadline | None = None) -> Placement | None:
    """Return a valid placement in which some workloads stay; None where there is none at once.

    Where few do not stay, these are placed as well as can be however late it is: what is found then is worth
    more than the fraction of a second that it takes.

    Parameters
    ----------
    part, deadline
        As for `keep_and_repair`.
    staying
        Keys of workloads that keep their own rules where they run now, and stand there.
    """
    few = sum(each.key not in staying for each in part.workloads) * len(part.clusters) <= FEW
    return _placed(part, staying, None if few else deadline)


def quickly(part: Problem, staying: Collection[str]) -> Placement | None:
    """Return any valid placement in which some workloads stay, the others where they fit; None for none."""
    return _placed(part, staying, Deadline.after(0))


def _placed(part: Problem, staying: Collection[str], deadline: Deadline | None) -> Placement | None:
    held = {each.key: each.current for each in part.workloads if each.key in staying}
    found = reference.place_all(part, held, deadline)
    return None if found is None or shared_violations(part, found) else found


def standing_well(part: Problem) -> frozenset[str]:
    """Return the workloads that keep their own rules where they run now.

    Without a rule for the total no cluster is asked for more than all replicas (or the largest copy), as
    everywhere in a search.
    """
    known = sound(part.all_workloads)
    running = (each for each in part.workloads if each.key in known)
    return frozenset(each.key for each in running if max(each.current.values()) <= largest(each))
