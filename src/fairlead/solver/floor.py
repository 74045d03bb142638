"""The floor of every search: what is answered at least, at once.

Keep and repair: what runs, less what is forbidden, plus what is missing. A partial placement is made one
workload after the other, each as far as it fits into what is left. That is the answer where time is over
before any search, or a search has found nothing in its time.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from fairlead.models.check import shared_violations, sound, violations_of
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Companionship, Duplicated, Total, bounds
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.quota import Allowance
from fairlead.models.score import better, score
from fairlead.models.validity import largest
from fairlead.models.variants import in_full
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import PartAnswer, unproven
from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.first_placement import Filling, are_rows, place_first
from fairlead.solver.dispensers import reference
from fairlead.solver.dispensers.reference import turn
from fairlead.solver.exact.alone import place_what_fits
from fairlead.solver.exact.boxes import Available, box_of, has_box, room_left
from fairlead.solver.exact.quick_placement import fill
from fairlead.solver.levels.targets import loose_levels
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search

SMALL = 500
"""Places (workloads times clusters) up to which everything is tried, whatever the time."""

FEW = 1_000
"""Places of those that do not stay up to which these are placed as well as can be, whatever the time."""

SHARE_OF_FLOOR = 0.3
"""Part of the time left in which a floor may place workloads exactly; then the rest is placed at once."""


def keep_and_repair(
    part: Problem, staying: Collection[str], deadline: Deadline | None = None
) -> Placement | None:
    """Return a valid placement in which workloads stay that may, at once and without a search.

    All others are placed one after the other, each as well as its rules allow in what is left; where that
    leaves some without a place, so are those that could have stayed. Where time is over and there are many
    others, whatever keeps all rules will do, see `place_first`.

    `part`: the question. `staying`: keys of workloads that stand where they run now as long as that can be;
    they keep their own rules there. `deadline`: from when on others are placed on any clusters that will do,
    unless they are few; None places them as well as can be.

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

    `part`, `deadline`: as for `keep_and_repair`. `staying`: keys of workloads that keep their own rules where
    they run now, and stand there.
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


def place_greedily(problem: Problem, deadline: Deadline | None = None) -> Placement:
    """Return a placement that keeps every rule that never gives way.

    Workloads go by priority, then by size as the reference dispenser takes them, or the smallest replicas
    first, of which most find room. One that does not fit as a whole gets what fits, or nothing, which leaves
    room for what may matter more. The best of these is returned. What stands where companions must not stand
    is taken away again. After the deadline only one order is tried, with any clusters that will do; nothing
    else is worse than that. Small problems take no time worth that, and nothing worse than the reference
    dispenser.
    """
    at_once = _greedily(problem, Deadline.after(0), smallest_first=False)
    due = Deadline() if deadline is None or is_small(problem) else deadline
    if not due.remaining():
        return at_once
    found = [at_once, *(_greedily(problem, due, smallest_first=smallest) for smallest in (False, True))]
    if due.remaining():
        found.append(_parted(problem, reference.place(in_full(problem), deadline=due).to_dict()))
    return min(found, key=lambda placement: [level.value for level in score(problem, placement)])


def _greedily(problem: Problem, deadline: Deadline, *, smallest_first: bool) -> Placement:
    """Place the workloads in one order."""
    strict = in_full(problem)
    at_once = not deadline.remaining() and not smallest_first
    filling = Filling.of_problem(strict) if at_once else None
    if filling is not None:
        return _parted(problem, _in_arrays(strict, filling))

    def partly(
        workload: Workload, part: Problem, available: Available, quotas: Sequence[Allowance]
    ) -> Mapping[str, int]:
        return _as_far_as_it_fits(workload, part, available, quotas, exactly=deadline.remaining() > 0)

    placed = reference.place(strict, partly, smallest_first=smallest_first, deadline=deadline)
    return _parted(problem, placed.to_dict())


def _parted(problem: Problem, placed: dict[str, dict[str, int]]) -> Placement:
    """Take away what stands where companions must not stand."""
    rules = [rule for rule in problem.rules if isinstance(rule, Companionship)]
    while wrong := [
        each
        for rule in rules
        for each in rule.violations(problem, Placement(placed))
        if each.workload is not None and each.cluster is not None
    ]:
        for violation in wrong:
            placed[violation.workload or ""].pop(violation.cluster or "", None)
    return Placement(placed)


def _in_arrays(problem: Problem, filling: Filling) -> dict[str, dict[str, int]]:
    """Place workloads that are rows of arrays, each as far as it fits, on any clusters that will do."""
    batch, found = filling.batch, np.zeros_like(filling.batch.lower)
    running = batch.matrix({each.key: each.current for each in problem.workloads})
    filling.left -= np.stack([need @ running for need in batch.needs.T])
    wishes = filling.wishes()
    order = sorted(range(len(problem.workloads)), key=lambda each: turn(problem.workloads[each], problem))
    if not running.any():
        for rows, placed in filling.in_turn(order, wishes, partly=True):
            found[rows] = _clusters_in_turn(problem, filling, *rows) if placed is None else placed
        return batch.placement(found).to_dict()
    for row in order:
        workload = problem.workloads[row]
        filling.take(row, running[row], -1)
        stays = workload.current and (running[row] <= filling.room([row])[0]).all()
        if stays and not any(violations_of(workload, workload.current)):
            found[row] = running[row]
            filling.take(row, running[row])
            continue
        placed = filling.fill([row], wishes[[row]], partly=True)
        found[row] = placed[0] if len(placed) else _clusters_in_turn(problem, filling, row)
    return batch.placement(found).to_dict()


def _clusters_in_turn(problem: Problem, filling: Filling, row: int) -> Whole:
    """Fill one cluster after the other with a row of which a part would stand below some minimum."""
    workload, names = problem.workloads[row], filling.batch.clusters
    rooms = zip(names, filling.room([row])[0].tolist(), strict=True)
    placed = _cluster_by_cluster(workload, rooms, ())
    counts = np.array([placed.get(name, 0) for name in names], dtype=np.int64)
    filling.take(row, counts)
    return counts


def _as_far_as_it_fits(
    workload: Workload, problem: Problem, available: Available, quotas: Sequence[Allowance], *, exactly: bool
) -> Mapping[str, int]:
    """Place what fits of one workload: exactly where possible and there is time, else cluster by cluster."""
    if not workload.replicas:
        return {}
    if has_box(workload):
        boxed = box_of(workload, problem, available, quotas)
        if not boxed.box.upper.any():
            return {}
        if exactly or workload.rule(Duplicated) is not None:
            found = place_what_fits(workload, problem, boxed, quotas)
        else:
            found = fill(workload, boxed)
            found = found if _allowed(workload, found) else None
        if found is not None and all(each.fits(workload, found) for each in quotas):
            return found
    return _cluster_by_cluster(workload, _most(workload, problem, available, quotas), quotas)


def _cluster_by_cluster(
    workload: Workload, rooms: Iterable[tuple[str, int]], quotas: Sequence[Allowance]
) -> dict[str, int]:
    """Place as much as each cluster takes, one after the other, where nothing is broken by that."""
    placed: dict[str, int] = {}
    for cluster, most in rooms:
        count = most
        if workload.rule(Total) is not None:
            count = min(most, workload.replicas - sum(placed.values()))
        more = {**placed, cluster: count}
        if count > 0 and _allowed(workload, more) and all(each.fits(workload, more) for each in quotas):
            placed = more
    return placed


def _most(
    workload: Workload, problem: Problem, available: Available, quotas: Sequence[Allowance]
) -> Iterator[tuple[str, int]]:
    """Yield the most that every candidate can hold: its name, and replicas or a full copy."""
    copies = workload.rule(Duplicated)
    if has_box(workload) and copies is None:
        boxed = box_of(workload, problem, available, quotas)
        yield from zip(boxed.names, boxed.box.upper.tolist(), strict=True)
    elif copies is not None:
        candidates = workload.rule(Candidates)
        for name in candidates.names if candidates else ():
            full = copy_on(copies, workload, name)
            if full <= room_left(workload, problem.cluster_by_name[name], available):
                yield name, full


def _allowed(workload: Workload, placed: Mapping[str, int]) -> bool:
    """Tell whether nothing is broken that never gives way, and no minimum where replicas stand."""
    return not any(
        not each.gives_way or (each.rule == bounds.KIND and placed.get(each.cluster or ""))
        for each in violations_of(workload, placed)
    )


def kept(answer: PartAnswer) -> PartAnswer:
    """Return an answer with what is found at once, where a search has found nothing in its time."""
    part = answer.part
    return unproven(part, keep_and_repair(part, standing_well(part), Deadline.after(0)), answer.origin)


def at_once(problem: Problem, search: Search) -> PartAnswer:
    """Keep what runs and repair the rest: the answer where time is over before any search."""
    whole, staying = in_full(problem), standing_well(problem)
    found = keep_and_repair(whole, staying, search.deadline)
    if found is None and search.deadline.remaining():
        # What is left of the time is used by nobody else: whatever keeps all rules will do.
        found = keep_and_repair(whole, staying, Deadline.after(0))
    if problem.partial and (found is None or is_small(problem)):
        found = better(problem, found, place_greedily(problem, Deadline.after(0)))
    if found is not None and loose_levels(problem):
        from fairlead.solver.loosening.tolerances import unsearched

        return unsearched(problem, found)
    return unproven(problem, found)
