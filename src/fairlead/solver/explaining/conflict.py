"""The conflict of one problem: minimal, the smallest where that can be proven in time, and verified."""

from collections.abc import Sequence

from fairlead.models.errors import InternalError
from fairlead.models.problem import Problem
from fairlead.models.statement import Proof
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.closed_form import closed_form
from fairlead.solver.conflicts.hitting_set import Found, Search
from fairlead.solver.conflicts.oracle import Oracle, OutOfTime
from fairlead.solver.conflicts.outline import sums_of
from fairlead.solver.conflicts.scarcity import excess_of, is_minimal_under_quota, scarce
from fairlead.solver.conflicts.subset import Judge, only
from fairlead.solver.conflicts.units import Unit, units_of
from fairlead.solver.conflicts.wording import Contradiction, shortened, told
from fairlead.solver.feasibility import has_placement, placed_at_once
from fairlead.solver.running.deadline import Deadline

SHARE_OF_ONE = 0.5
"""Of the time for a conflict, what may be spent on looking for it; the rest verifies it."""
SHARE_OF_WITNESSES = 0.3
"""Of the time for a conflict, what simple placements may use that show of which units none can be spared."""
MOST_PLACES = 5_000
"""Workloads times clusters up to which these keep all units but one, not only those of the conflict."""
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
    return Contradiction(shortened(statements, problem), found.proof, _about(conflict, problem))


def _about(conflict: Sequence[Unit], problem: Problem) -> tuple[Workload, ...]:
    """Return the workloads of which a conflict says anything; all where it says something of none."""
    keys = {unit.workload for unit in conflict if unit.workload is not None}
    return tuple(each for each in problem.workloads if each.key in keys) or problem.workloads


def _adds_up(conflict: Sequence[Unit], problem: Problem) -> bool:
    """Tell whether adding up shows that a conflict has no placement, though perhaps with less as well."""
    sums = sums_of(problem, conflict)
    if excess_of(problem, conflict) is not None or (sums is not None and not sums.possible()):
        return True
    alone = problem.workloads if len(problem.workloads) == 1 else ()
    return any(closed_form(workload, problem, conflict) is not None for workload in alone)


def find(problem: Problem, units: Sequence[Unit], deadline: Deadline, seed: int = 0) -> Found | None:
    """Return the positions of the units of a conflict, and what is proven of it.

    Parameters
    ----------
    problem
        A problem without any placement.
    """
    found = _seen(problem, units, deadline)
    broken: Sequence[frozenset[int]] = ()
    spared: frozenset[int] = frozenset()
    large = len(problem.workloads) > 1 and len(units) > MOST_SEARCHED
    if found is not None and large and is_minimal_under_quota(problem, [units[at] for at in found.units]):
        return Found(found.units, Proof.MINIMAL)
    if found is not None and found.proof is not Proof.SMALLEST:
        found, spared, broken = _witnessed(found, problem, units, deadline.part(SHARE_OF_WITNESSES), seed)
    if found is None or (found.proof is not Proof.SMALLEST and not large):
        try:
            part = deadline.part(SHARE_OF_ONE)
            search = Search(Oracle(problem, units, part, seed), list(broken))
            minimal = None if found is None or found.proof is Proof.UNVERIFIED else found.units
            found, broken = search.find(minimal) or found, search.broken
        except OutOfTime:
            pass
    if found is None or found.proof is Proof.UNVERIFIED:
        return found
    return _confirmed(found, problem, units, spared.union(_only_ones(found, broken)), deadline, seed)


def _seen(problem: Problem, units: Sequence[Unit], deadline: Deadline) -> Found | None:
    """Return a conflict that is seen without a solver: of one workload, or over something scarce."""
    if len(problem.workloads) == 1:
        start = closed_form(problem.workloads[0], problem, units)
        proof = Proof.SMALLEST if start is not None and start.smallest else Proof.MINIMAL
        return None if start is None else Found(start.units, proof)
    found = scarce(problem, units) if deadline.remaining() else None
    return None if found is None else Found(found, Proof.UNVERIFIED)


def _witnessed(
    found: Found, problem: Problem, units: Sequence[Unit], deadline: Deadline, seed: int
) -> tuple[Found, frozenset[int], Sequence[frozenset[int]]]:
    """Look for placements without each unit of a conflict: those found at once, and of few units any.

    Returns
    -------
    tuple
        The conflict, proven as far as these show that: minimal where all its units but any one can be kept,
        the smallest where all units there are can be, as then no conflict is without any of its own. Next
        the positions of those without which there is a placement, and what each of these breaks of all units;
        nothing where that is not looked at.
    """
    complete = len(problem.workloads) * len(problem.clusters) <= MOST_PLACES
    judge = Judge(problem, units) if complete else None
    few = len(units) <= MOST_SEARCHED
    broken: list[frozenset[int]] = []
    proofs: dict[int, Proof] = {}
    for left_out in found.units:
        for proof, kept in ((Proof.SMALLEST, range(len(units))), (Proof.MINIMAL, found.units)):
            if left_out in proofs or not deadline.remaining() or (judge is None and kept is not found.units):
                continue
            reduced = only(problem, [units[at] for at in kept if at != left_out])
            placement = placed_at_once(reduced, Deadline.after(0))
            if placement is not None:
                proofs[left_out] = proof
                broken += [] if judge is None else [judge.broken(placement)]
            elif proof is Proof.MINIMAL and few and has_placement(reduced, deadline, seed):
                proofs[left_out] = proof
    if len(proofs) == len(found.units):
        smallest = all(each is Proof.SMALLEST for each in proofs.values())
        found = Found(found.units, Proof.SMALLEST if smallest else Proof.MINIMAL)
    return found, frozenset(proofs), broken


def _confirmed(
    found: Found,
    problem: Problem,
    units: Sequence[Unit],
    spared: frozenset[int],
    deadline: Deadline,
    seed: int,
) -> Found:
    """Return a conflict as it was found where that can be verified, else as unverified."""
    known = frozenset(at for at, unit in enumerate(found.units) if unit in spared)
    sure = verified(problem, [units[at] for at in found.units], known, deadline, seed)
    return found if sure else Found(found.units, Proof.UNVERIFIED)


def _only_ones(found: Found, broken: Sequence[frozenset[int]]) -> frozenset[int]:
    """Return which units of a conflict are the only ones of it that some placement breaks."""
    met = (each.intersection(found.units) for each in broken)
    return frozenset[int]().union(*(each for each in met if len(each) == 1))


def verified(
    problem: Problem, units: Sequence[Unit], spared: frozenset[int], deadline: Deadline, seed: int = 0
) -> bool:
    """Tell whether some units have no placement together, and have one without any one of them.

    Parameters
    ----------
    spared
        Positions of those of which a placement was seen that keeps all the others.

    Returns
    -------
    bool
        False also where time ran out.

    Raises
    ------
    InternalError
        Where all of them have a placement together: a bug in fairlead or in the solver.
    """
    sums = sums_of(problem, units)
    if sums is not None:
        if sums.possible():
            raise InternalError("rules that were called a conflict have a placement")
        return sums.minimal()
    if is_minimal_under_quota(problem, units):
        return True
    together = False if excess_of(problem, units) else has_placement(only(problem, units), deadline, seed)
    if together:
        raise InternalError("rules that were called a conflict have a placement")
    if together is None:
        return False
    return all(
        at in spared or has_placement(only(problem, [*units[:at], *units[at + 1 :]]), deadline, seed)
        for at in range(len(units))
    )
