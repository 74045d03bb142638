"""Conflicts of a problem: minimal, the smallest where that can be proven in time, and verified by solving."""

from collections.abc import Sequence
from dataclasses import replace

from fairlead.models.problem import Problem
from fairlead.models.statement import Conflict, Proof
from fairlead.solver.alike import alike
from fairlead.solver.components import components
from fairlead.solver.deadline import Deadline
from fairlead.solver.explaining.alone import alone
from fairlead.solver.explaining.failing import fails_alone, settled
from fairlead.solver.explaining.groups import conflicts_over_groups
from fairlead.solver.explaining.minimal import Found, Search
from fairlead.solver.explaining.oracle import Oracle, OutOfTime
from fairlead.solver.explaining.quick import quick
from fairlead.solver.explaining.said_once import for_each, said_once
from fairlead.solver.explaining.scarce import scarce
from fairlead.solver.explaining.shortening import shortened
from fairlead.solver.explaining.sums import sums_of
from fairlead.solver.explaining.telling import told
from fairlead.solver.explaining.together import excess_of, minimal_under_quota
from fairlead.solver.explaining.units import Unit, units_of
from fairlead.solver.explaining.verifying import verified
from fairlead.solver.explaining.witnesses import witnessed
from fairlead.solver.feasibility import has_placement
from fairlead.solver.joint_choices import choices, in_any_group, is_open
from fairlead.solver.relaxing.search import relaxations

SHARE_OF_ALL = 0.6
"""Of the time that is left, what may be spent on conflicts; the rest is for ways out of them."""
SHARE_OF_ONE = 0.5
"""Of the time for a conflict, what may be spent on looking for it; the rest verifies it."""
SHARE_OF_WITNESSES = 0.3
"""Of the time for a conflict, what simple placements may use that show of which units none can be spared."""
MOST_SEARCHED = 200
"""Units up to which a smaller conflict is looked for where a minimal one over something scarce is known."""
LONGEST_UNVERIFIED = 20
"""Rules of a conflict that time did not suffice to narrow down: more of them help nobody."""


def conflicts_of(
    problem: Problem, deadline: Deadline, seed: int = 0, infeasible: Sequence[Problem] = ()
) -> tuple[Conflict, ...]:
    """Return why a problem has no placement: a conflict for every part and every workload that has one.

    Parameters
    ----------
    problem
        A problem without any placement, whatever affinity groups its workloads get.
    deadline
        When the answer is due.
    seed
        Random seed of CP-SAT.
    infeasible
        Independent parts of it that are known to have no placement, with the groups that were looked at last;
        empty where none is known.

    Returns
    -------
    tuple of Conflict
        In the order of the workloads; what is said of many workloads is said once. The first one has the
        cheapest ways out of all of them. Empty where time ran out before anything was known.
    """
    until = deadline.part(SHARE_OF_ALL)
    known = {key for part in infeasible for key in part.workload_by_key}
    parts = _parts(problem)
    failing: set[str] = set()
    found: list[Conflict] = []
    for part in parts:
        if found and not until.remaining():
            break
        keys = part.workload_by_key.keys()
        if not keys.isdisjoint(known) or len(parts) == 1 or _has_none(part, until, seed):
            failing |= keys
            found.extend(conflicts_of_part(part, until, seed))
    if not found:
        return ()
    told = said_once(found, named=len(problem.workloads) > 1)
    ways = relaxations(problem, deadline, seed, failing=failing | known)
    return (replace(told[0], relaxations=ways), *told[1:])


def _parts(problem: Problem) -> tuple[Problem, ...]:
    """Return the independent parts of a problem, whatever groups its workloads get."""
    if not any(map(is_open, problem.workloads)):
        return components(problem)
    wide = replace(problem, workloads=tuple(map(in_any_group, problem.workloads)))
    return tuple(
        replace(part, workloads=tuple(problem.workload_by_key[key] for key in part.workload_by_key))
        for part in components(wide)
    )


def _has_none(part: Problem, deadline: Deadline, seed: int) -> bool:
    """Tell whether a part has no placement in any choice of groups."""
    return all(has_placement(each.problem, deadline, seed) is False for each in choices(part))


def conflicts_of_part(part: Problem, deadline: Deadline, seed: int = 0) -> tuple[Conflict, ...]:
    """Return why one independent part has no placement, without ways out.

    Parameters
    ----------
    part
        A problem without any placement; see `components`.
    deadline
        When the answer is due.
    seed
        Random seed of CP-SAT.

    Returns
    -------
    tuple of Conflict
        One for every workload that fails by itself; where none does, one for all of them. Empty where time
        ran out before anything was known.
    """
    if any(map(is_open, part.workloads)):

        def explain(trial: Problem) -> Conflict | None:
            return next(iter(_of_settled(trial, deadline, seed)), None)

        return conflicts_over_groups(part, explain, deadline, seed)
    return _of_settled(part, deadline, seed)


def _of_settled(part: Problem, deadline: Deadline, seed: int) -> tuple[Conflict, ...]:
    """Return why a part has no placement in which every workload has its group."""
    if len(part.workloads) == 1:
        return _explained(part, deadline, seed)
    failing = [workload for workload in part.workloads if fails_alone(workload, part)]
    if not failing:
        failing = [
            workload
            for workload in part.workloads
            if not settled(workload, part) and has_placement(alone(workload, part), deadline, seed) is False
        ]
    if not failing:
        return _explained(part, deadline, seed)
    found: list[Conflict] = []
    for members in alike(failing):
        if found and not deadline.remaining():
            break
        for conflict in _explained(alone(members[0], part), deadline, seed):
            found += for_each(conflict, members)
    return tuple(found)


def _explained(problem: Problem, deadline: Deadline, seed: int) -> tuple[Conflict, ...]:
    """Return the conflict of a problem if one is found in time."""
    conflict = _conflict(problem, deadline, seed)
    return () if conflict is None else (conflict,)


def _conflict(problem: Problem, deadline: Deadline, seed: int) -> Conflict | None:
    """Return a verified conflict of a problem without any placement; None where nothing is known in time."""
    units = units_of(problem)
    found = find(problem, units, deadline, seed)
    if found is None:
        return None
    conflict = [units[at] for at in found.units]
    statements = told(conflict, problem)
    unsure = found.proof is Proof.UNVERIFIED and not _adds_up(conflict, problem)
    if unsure and len(statements) > LONGEST_UNVERIFIED:
        return None
    return Conflict(shortened(statements, problem), proof=found.proof, workloads=_about(conflict, problem))


def _about(conflict: Sequence[Unit], problem: Problem) -> tuple[str, ...]:
    """Return the workloads of which a conflict says anything; all where it says something of none."""
    keys = {unit.workload for unit in conflict if unit.workload is not None}
    return tuple(sorted(keys)) or tuple(problem.workload_by_key)


def _adds_up(conflict: Sequence[Unit], problem: Problem) -> bool:
    """Tell whether adding up shows that a conflict has no placement, though perhaps with less as well."""
    sums = sums_of(problem, conflict)
    return excess_of(problem, conflict) is not None or (sums is not None and not sums.possible())


def find(problem: Problem, units: Sequence[Unit], deadline: Deadline, seed: int = 0) -> Found | None:
    """Return the positions of the units of a conflict, and what is proven of it.

    Parameters
    ----------
    problem
        A problem without any placement.
    units
        Everything that may be left out, see `units_of`.
    deadline
        When the answer is due.
    seed
        Random seed of CP-SAT.
    """
    if len(problem.workloads) != 1:
        return _find_shared(problem, units, deadline, seed)
    start = quick(problem.workloads[0], problem, units)
    search = None
    found = None if start is None else Found(start.units, Proof.SMALLEST if start.smallest else Proof.MINIMAL)
    if start is None or not start.smallest:
        try:
            part = deadline.part(SHARE_OF_ONE)
            search = Search(problem, units, Oracle(problem, units, part, seed))
            found = search.find(None if start is None else start.units) or found
        except OutOfTime:
            pass
    return _confirmed(found, problem, units, [] if search is None else search.broken, deadline, seed)


def _find_shared(problem: Problem, units: Sequence[Unit], deadline: Deadline, seed: int) -> Found | None:
    """Return a conflict of several workloads: over a scarce resource without a solver, else with one."""
    broken: Sequence[frozenset[int]] = ()
    found = minimal = None
    start = scarce(problem, units) if deadline.remaining() else None
    large = len(units) > MOST_SEARCHED
    if start is not None and large and minimal_under_quota(problem, [units[at] for at in start]):
        return Found(start, Proof.MINIMAL)
    if start is not None:
        seen = witnessed(problem, units, start, deadline.part(SHARE_OF_WITNESSES))
        broken = seen.broken
        minimal = start if seen.needed.issuperset(start) else None
        smallest = seen.unavoidable.issuperset(start)
        proof = Proof.SMALLEST if smallest else Proof.UNVERIFIED if minimal is None else Proof.MINIMAL
        found = Found(start, proof)
        if smallest or (minimal and large):
            return _confirmed(found, problem, units, broken, deadline, seed)
        broken = broken if seen.complete else ()
    try:
        part = deadline.part(SHARE_OF_ONE)
        search = Search(problem, units, Oracle(problem, units, part, seed), list(broken))
        found = search.find(minimal) or found
        broken = search.broken
    except OutOfTime:
        pass
    return _confirmed(found, problem, units, broken, deadline, seed)


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
