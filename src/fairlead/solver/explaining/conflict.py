"""The conflict of one problem: minimal, the smallest where that can be proven in time, and verified."""

from collections.abc import Sequence

from fairlead.models.errors import InternalError
from fairlead.models.problem import Problem
from fairlead.models.statement import Proof
from fairlead.solver.conflicts.budgets import is_minimal_under_budget, is_over
from fairlead.solver.conflicts.closed_form import Found, closed_form
from fairlead.solver.conflicts.hitting_set import Oracle, OutOfTime, Search
from fairlead.solver.conflicts.outline import sums_of
from fairlead.solver.conflicts.scarcity import excess_of, is_minimal_under_quota, scarce
from fairlead.solver.conflicts.subset import Judge, only
from fairlead.solver.conflicts.units import Unit, units_of
from fairlead.solver.conflicts.witnesses import filled, witnessed
from fairlead.solver.conflicts.wording import Contradiction, cause_of, shortened, told
from fairlead.solver.feasibility import has_placement
from fairlead.solver.running.deadline import Deadline

SHARE_OF_ONE = 0.5
"""Of the time for a conflict, what may be spent on looking for it; the rest verifies it."""
SHARE_OF_WITNESSES = 0.3
"""Of the time for a conflict, what simple placements may use that show of which units none can be spared."""
MOST_SEARCHED = 200
"""Units up to which a smaller conflict is looked for where a minimal one over something scarce is known."""
LONGEST_UNVERIFIED = 20
"""Rules of a conflict that time did not suffice to narrow down: more of them help nobody."""


def conflict_in(problem: Problem, deadline: Deadline, seed: int) -> Contradiction | None:
    """Return a verified conflict of a problem without any placement; None where nothing is known in time."""
    if len(problem.workloads) > 1 and not deadline.remaining():
        # Only of a single workload anything is known without a search.
        return None
    units = units_of(problem)
    found = find(problem, units, deadline, seed)
    if found is None:
        return None
    conflict = [units[at] for at in found.units]
    statements = told(conflict, problem)
    unsure = found.proof is Proof.UNVERIFIED and not _adds_up(conflict, problem)
    if unsure and len(statements) > LONGEST_UNVERIFIED:
        return None
    keys = {unit.workload for unit in conflict}
    about = tuple(each for each in problem.workloads if each.key in keys) or problem.workloads
    said = shortened(statements, problem)
    return Contradiction(said, found.proof, about, cause=cause_of(conflict, problem))


def _adds_up(conflict: Sequence[Unit], problem: Problem) -> bool:
    """Tell whether adding up shows that a conflict has no placement, though perhaps with less as well."""
    sums = sums_of(problem, conflict)
    if _is_excessive(problem, conflict) or (sums is not None and not sums.possible()):
        return True
    alone = problem.workloads if len(problem.workloads) == 1 else ()
    return any(closed_form(workload, problem, conflict) is not None for workload in alone)


def _is_excessive(problem: Problem, units: Sequence[Unit]) -> bool:
    """Tell whether units ask for more than others of them have or allow."""
    return excess_of(problem, units) is not None or is_over(problem, units)


def _adds_up_to_all(problem: Problem, units: Sequence[Unit]) -> bool:
    """Tell whether adding up shows that units have no placement, and have one without any one of them."""
    return is_minimal_under_quota(problem, units) or is_minimal_under_budget(problem, units)


def find(problem: Problem, units: Sequence[Unit], deadline: Deadline, seed: int = 0) -> Found | None:
    """Return the positions of the units of a conflict, and what is proven of it.

    `problem`: a problem without any placement.
    """
    found = _seen(problem, units, deadline)
    large = len(problem.workloads) > 1 and len(units) > MOST_SEARCHED
    if found is not None and large and _adds_up_to_all(problem, [units[at] for at in found.units]):
        return Found(found.units, Proof.MINIMAL)
    broken: Sequence[frozenset[int]] = ()
    if found is not None and found.proof is not Proof.SMALLEST:
        seen = witnessed(problem, units, found.units, deadline.part(SHARE_OF_WITNESSES))
        if seen.unavoidable.issuperset(found.units):
            found = Found(found.units, Proof.SMALLEST)
        elif seen.needed.issuperset(found.units):
            found = Found(found.units, Proof.MINIMAL)
        if found.proof is Proof.SMALLEST or (large and found.proof is Proof.MINIMAL):
            return _confirmed(found, problem, units, seen.broken, deadline, seed)
        broken = seen.broken if seen.complete else ()
    if found is None or found.proof is not Proof.SMALLEST:
        try:
            part = deadline.part(SHARE_OF_ONE)
            search = Search(Oracle(problem, units, part, seed), list(broken))
            minimal = None if found is None or found.proof is Proof.UNVERIFIED else found.units
            found, broken = search.find(minimal) or found, search.broken
        except OutOfTime:
            pass
    return _confirmed(found, problem, units, broken, deadline, seed)


def _seen(problem: Problem, units: Sequence[Unit], deadline: Deadline) -> Found | None:
    """Return a conflict that is seen without a solver: of one workload, or over something scarce."""
    if len(problem.workloads) == 1:
        return closed_form(problem.workloads[0], problem, units)
    found = scarce(problem, units) if deadline.remaining() else None
    return None if found is None else Found(found, Proof.UNVERIFIED)


def _confirmed(
    found: Found | None,
    problem: Problem,
    units: Sequence[Unit],
    broken: Sequence[frozenset[int]],
    deadline: Deadline,
    seed: int,
) -> Found | None:
    """Return a conflict as it was found where that can be verified, else as unverified."""
    if found is None or found.proof is Proof.UNVERIFIED:
        return found
    conflict = [units[at] for at in found.units]
    if verified(problem, conflict, _spared(found, broken), deadline, seed):
        return found
    return Found(found.units, Proof.UNVERIFIED)


def _spared(found: Found, broken: Sequence[frozenset[int]]) -> frozenset[int]:
    """Return which units of a conflict are the only ones of it that some placement breaks."""
    inside = frozenset(found.units)
    met = (each & inside for each in broken)
    only_ones = {next(iter(each)) for each in met if len(each) == 1}
    return frozenset(at for at, unit in enumerate(found.units) if unit in only_ones)


def verified(
    problem: Problem, units: Sequence[Unit], spared: frozenset[int], deadline: Deadline, seed: int = 0
) -> bool:
    """Tell whether some units have no placement together, and have one without any one of them.

    False also where time ran out.

    `spared`: positions of those of which a placement was seen that breaks them and none of the others, judged
    by the meaning of the rules.

    Raises `InternalError` where all of them have a placement together: a bug in fairlead or in the solver.
    """
    sums = sums_of(problem, units)
    if sums is not None:
        if sums.possible():
            raise InternalError("rules that were called a conflict have a placement")
        return sums.minimal()
    if _adds_up_to_all(problem, units):
        return True
    together = False if _is_excessive(problem, units) else has_placement(only(problem, units), deadline, seed)
    if together:
        raise InternalError("rules that were called a conflict have a placement")
    if together is None:
        return False
    judge = Judge(problem, units)
    for at in range(len(units)):
        rest = [*units[:at], *units[at + 1 :]]
        if at in spared or _is_kept_simply(problem, rest, judge, at):
            continue
        # Of a single workload this takes milliseconds, and nothing else is known of it.
        over = len(problem.workloads) > 1 and not deadline.remaining()
        if over or not has_placement(only(problem, rest), deadline, seed):
            return False
    return True


def _is_kept_simply(problem: Problem, rest: Sequence[Unit], judge: Judge, left_out: int) -> bool:
    """Tell whether filling one cluster after the other keeps all units but the one that is left out."""
    if len(problem.workloads) != 1:
        return False
    return judge.broken(filled(problem, rest)) <= {left_out}
