"""Conflicts of a problem, one for every part and every workload without a placement, and ways out of them."""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace

from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Total
from fairlead.models.source import FederatedUnit
from fairlead.models.statement import Conflict, Proof, Relaxation, Statement
from fairlead.models.words import listed
from fairlead.models.workload import Workload, from_start, in_group
from fairlead.solver.changes.kinds import ChangeKind
from fairlead.solver.conflicts.alone import alone, conflicts, fails_alone, settled
from fairlead.solver.conflicts.names import alike
from fairlead.solver.conflicts.scarcity import is_scarce
from fairlead.solver.conflicts.wording import Contradiction, UnitWording, once, said_once
from fairlead.solver.explaining.conflict import advice, conflict_in
from fairlead.solver.feasibility import has_placement
from fairlead.solver.groups.choices import GroupChoice, apart, choices, in_any_group, is_complete, is_open
from fairlead.solver.relaxation.search import has_none, relaxations
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search

SHARE_OF_ALL = 0.6
"""Part of the time left that may be spent on conflicts; the rest is for ways out of them."""

Explain = Callable[[Problem], Contradiction | None]
"""Returns a conflict of a problem; None where time runs out."""


def conflicts_of(
    problem: Problem, search: Search, infeasible: Sequence[Problem] = ()
) -> tuple[Conflict, ...]:
    """Return why a problem has no placement: a conflict for every part and every workload that has one.

    In the order of the workloads; what is said of many workloads is said once. The first one has the cheapest
    ways out of all of them. Empty where time ran out before anything was known.

    `problem`: a problem without any placement, whatever affinity groups its workloads get; `infeasible`:
    independent parts of it that are known to have no placement, with the groups that were looked at last;
    empty where none is known.
    """
    until = search.part(SHARE_OF_ALL)
    known = {key for part in infeasible for key in part.workload_by_key}
    parts = apart(problem)
    failing: set[str] = set()
    found: list[Contradiction] = []
    for part in parts:
        if found and not until.deadline.remaining():
            break
        keys = part.workload_by_key.keys()
        if not keys.isdisjoint(known) or len(parts) == 1 or has_none(part, until):
            failing |= keys
            found.extend(_of_part(part, until))
    if not found:
        return ()
    told = said_once(found, named=len(problem.workloads) > 1)
    ways = relaxations(problem, search, failing=failing | known)
    told_besides = (
        *advice(problem, told, ways, search),
        *_once_reported(problem, ways, failing | known, search),
    )
    return (replace(told[0], relaxations=ways, advice=told_besides), *told[1:])


def in_every_group(found: Iterable[Contradiction], problem: Problem) -> tuple[Contradiction, ...]:
    """Return the conflicts of first groups, of workloads that no other group would do for either.

    In the order of the workloads, without a solver; it tells what stands in the way in every group.
    """

    def at_first_sight(trial: Problem) -> Contradiction | None:
        return next(iter(conflicts(trial)), None)

    told: list[Contradiction | None] = []
    for conflict in found:
        (workload,) = conflict.workloads
        by_itself = alone(workload, problem)
        if not is_open(workload):
            told.append(conflict)
        elif all(fails_alone(in_group(workload, group), by_itself) for group in from_start(workload)):
            told.append(_over_groups(by_itself, at_first_sight, Deadline()))
    return tuple(filter(None, told))


def _of_part(part: Problem, search: Search) -> Sequence[Contradiction]:
    """Return why one independent part has no placement; empty where time ran out before that was known.

    One for every workload that has no placement of its own in any of its groups; where every workload has
    one, a conflict for all of them. Where groups are to be chosen, it tells what stands in the way in every
    group that is left.
    """

    def settled_one(trial: Problem) -> Contradiction | None:
        return next(iter(_of_settled(trial, search)), None)

    if not any(map(is_open, part.workloads)):
        return _of_settled(part, search)
    apart = ((each, choices(replace(part, workloads=(each,)))) for each in part.workloads)
    failing = [
        each
        for each, every in apart
        if all(_fails_in(one.problem.workloads[0], part, search) for one in every)
    ]
    due = search.deadline
    return _of_failing(failing, part, lambda trial: _over_groups(trial, settled_one, due), due)


def _of_settled(part: Problem, search: Search) -> Sequence[Contradiction]:
    """Return why a part has no placement in which every workload has its group."""
    failing: list[Workload] = []
    if len(part.workloads) > 1:
        failing = [workload for workload in part.workloads if fails_alone(workload, part)]
        failing = failing or [each for each in part.workloads if _fails_in(each, part, search)]
    return _of_failing(failing, part, lambda trial: conflict_in(trial, search), search.deadline)


def _of_failing(
    failing: Sequence[Workload], part: Problem, explain: Explain, deadline: Deadline
) -> Sequence[Contradiction]:
    """Return a conflict for the workloads of each kind that fail by themselves; else one for all together."""
    if not failing:
        together = explain(part)
        return () if together is None else (together,)
    found: list[Contradiction] = []
    for members in alike(failing):
        if found and not deadline.remaining():
            break
        conflict = explain(alone(members[0], part))
        found += [] if conflict is None else [replace(conflict, workloads=tuple(members), alike=True)]
    return found


def _fails_in(workload: Workload, part: Problem, search: Search) -> bool:
    """Tell whether a workload has no placement of its own with the rules it has."""
    if fails_alone(workload, part):
        return True
    if settled(workload, part) or len(part.workloads) == 1 or not search.deadline.remaining():
        return False
    return has_placement(alone(workload, part), search) is False


def _over_groups(problem: Problem, explain: Explain, deadline: Deadline) -> Contradiction | None:
    """Return the conflict of every joint choice; None where time ran out before it was known."""
    wide = _everywhere(problem)
    if len(problem.workloads) > 1 and is_scarce(wide):
        return explain(wide)
    found: list[tuple[GroupChoice, Contradiction]] = []
    complete = is_complete(problem)
    for choice in choices(problem):
        conflict = explain(choice.problem) if deadline.remaining() else None
        if conflict is None:
            complete = False
            break
        found.append((choice, conflict))
    return _joined(found, problem, complete=complete) if found else None


def _everywhere(problem: Problem) -> Problem:
    """Return a problem of which nothing is left but totals and room, with the clusters of all groups open.

    What is too much there is too much in every choice of groups.
    """

    def bare(workload: Workload) -> Workload:
        wide = in_any_group(workload)
        rules = tuple(rule for rule in wide.rules if isinstance(rule, Candidates | Total))
        return replace(wide, rules=rules, groups=())

    rules = tuple(rule for rule in problem.rules if isinstance(rule, Capacity))
    return replace(problem, workloads=tuple(map(bare, problem.workloads)), rules=rules)


def _joined(
    found: Sequence[tuple[GroupChoice, Contradiction]], problem: Problem, *, complete: bool
) -> Contradiction:
    """Return the conflicts of all choices as one; what they have in common comes first."""
    if len(found) == 1 and complete:
        return found[0][1]
    conflicts = [conflict for _, conflict in found]
    inside = [frozenset(said.statement for said in each.said) for each in conflicts]
    common = inside[0].intersection(*inside)
    told = [said for said in conflicts[0].said if said.statement in common]
    told += [said for choice, each in found for said in _told(choice, each, common, problem)]
    keys = {workload.key for each in conflicts for workload in each.workloads}
    known = complete and all(each.proof is not Proof.UNVERIFIED for each in conflicts)
    proof = Proof.MINIMAL if known else Proof.UNVERIFIED
    about = tuple(each for each in problem.workloads if each.key in keys)
    return Contradiction(once(told), proof, about)


def _told(
    choice: GroupChoice, conflict: Contradiction, common: Container[Statement], problem: Problem
) -> Iterator[UnitWording]:
    """Yield the sentences of a conflict in one choice only, with the groups they are about."""
    inside = {workload.key for workload in conflict.workloads}
    groups = [(key, name) for key, name in choice.groups if key in inside] or list(choice.groups)
    several = len([each for each in problem.workloads if len(from_start(each)) > 1]) > 1
    named = [f"{key} in affinity group {name}" if several else name for key, name in groups]
    where = f"with {listed(named)}" if several else f"affinity group {named[0]}"
    for said in conflict.said:
        if said.statement not in common:
            yield replace(said, before=f"{where}: {said.before}")


def _once_reported(
    problem: Problem, ways: Sequence[Relaxation], failing: Container[str], search: Search
) -> Iterator[str]:
    """Yield which templates to scale down, which helps others only once clusters report what that frees.

    Where a federated object has no override of its replicas, what runs follows its template at once, and what
    its clusters report as free is of before: in the manifests as they are, that is no way out.
    """
    held = {each.key: replace(each, declared=unit) for each in problem.workloads if (unit := _holding(each))}
    if not held:
        return
    after = replace(problem, workloads=tuple(held.get(each.key, each) for each in problem.workloads))
    known = {way.changes for way in ways}
    for way in relaxations(after, search, failing=failing):
        scaled = any(each.kind == ChangeKind.REPLICAS and each.workload in held for each in way.changes)
        if scaled and way.changes not in known:
            enough = f"it is also enough to {way.text} (the template's number)"
            yield f"Once member clusters report what that frees, {enough}."


def _holding(workload: Workload) -> FederatedUnit | None:
    """Return a federated object that holds what runs, whatever its template says; None for any other."""
    declared = workload.declared
    if not isinstance(declared, FederatedUnit) or not declared.following:
        return None
    return replace(declared, current=workload.current)
