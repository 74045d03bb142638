"""Conflicts of workloads that may get one of several affinity groups: why none of the groups will do."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from fairlead.models.affinity_groups import from_start
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Total
from fairlead.models.statement import Conflict, Proof, Statement
from fairlead.models.words import listed
from fairlead.models.workload import Workload
from fairlead.solver.alike import alike
from fairlead.solver.deadline import Deadline
from fairlead.solver.explaining.alone import alone
from fairlead.solver.explaining.failing import fails_alone, settled
from fairlead.solver.explaining.said_once import for_each
from fairlead.solver.explaining.scarce import is_scarce
from fairlead.solver.feasibility import has_placement
from fairlead.solver.joint_choices import Choice, choices, in_any_group, is_complete

Explain = Callable[[Problem], Conflict | None]
"""Returns a conflict of a problem in which every workload has one group; None where time runs out."""


@dataclass(frozen=True, slots=True)
class _InChoice:
    """Why a joint choice of groups will not do."""

    choice: Choice
    conflict: Conflict


def conflicts_over_groups(
    part: Problem, explain: Explain, deadline: Deadline, seed: int
) -> tuple[Conflict, ...]:
    """Return why a part has no placement, whatever groups its workloads get.

    Parameters
    ----------
    part
        An independent part without placement, in which some workloads may get several groups.
    explain
        Finds a conflict where every workload has its group.
    deadline
        When the answer is due.
    seed
        Random seed of CP-SAT.

    Returns
    -------
    tuple of Conflict
        One for every workload that has no placement of its own in any of its groups; where every workload has
        one, a conflict for all of them. Each tells what stands in the way in every group that is left.
    """
    failing = [each for each in part.workloads if _fails(each, part, deadline, seed)]
    if not failing:
        together = _over(part, explain, deadline)
        return () if together is None else (together,)
    found: list[Conflict] = []
    for members in alike(failing):
        if found and not deadline.remaining():
            break
        conflict = _over(alone(members[0], part), explain, deadline)
        found += [] if conflict is None else for_each(conflict, members)
    return tuple(found)


def _fails(workload: Workload, part: Problem, deadline: Deadline, seed: int) -> bool:
    """Tell whether a workload has no placement of its own in any of its groups."""
    every = choices(replace(part, workloads=(workload,)))
    return all(_fails_in(each.problem.workloads[0], part, deadline, seed) for each in every)


def _fails_in(workload: Workload, part: Problem, deadline: Deadline, seed: int) -> bool:
    """Tell whether a workload has no placement of its own with the rules it has."""
    if fails_alone(workload, part):
        return True
    if settled(workload, part) or len(part.workloads) == 1:
        return False
    return has_placement(alone(workload, part), deadline, seed) is False


def _over(problem: Problem, explain: Explain, deadline: Deadline) -> Conflict | None:
    """Return what stands in the way in every joint choice; None where time ran out before that was known."""
    wide = _everywhere(problem)
    if len(problem.workloads) > 1 and is_scarce(wide):
        return explain(wide)
    found: list[_InChoice] = []
    complete = is_complete(problem)
    for choice in choices(problem):
        conflict = explain(choice.problem) if deadline.remaining() else None
        if conflict is None:
            complete = False
            break
        found.append(_InChoice(choice, conflict))
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


def _joined(found: Sequence[_InChoice], problem: Problem, *, complete: bool) -> Conflict:
    """Return the conflicts of all choices as one; what they have in common comes first."""
    if len(found) == 1 and complete:
        return found[0].conflict
    common = [rule for rule in found[0].conflict.rules if all(rule in each.conflict.rules for each in found)]
    rules = dict.fromkeys([*common, *(rule for each in found for rule in _told(each, common, problem))])
    keys = {key for each in found for key in each.conflict.workloads}
    known = complete and all(each.conflict.proof is not Proof.UNVERIFIED for each in found)
    proof = Proof.MINIMAL if known else Proof.UNVERIFIED
    return Conflict(tuple(rules), proof=proof, workloads=tuple(sorted(keys)))


def _told(one: _InChoice, common: Sequence[Statement], problem: Problem) -> Iterator[Statement]:
    """Yield what a conflict says in one choice only, with the groups it is about."""
    inside = set(one.conflict.workloads)
    groups = [(key, name) for key, name in one.choice.groups if key in inside] or list(one.choice.groups)
    several = len([each for each in problem.workloads if len(from_start(each)) > 1]) > 1
    named = [f"{key} in affinity group {name}" if several else name for key, name in groups]
    where = f"with {listed(named)}" if several else f"affinity group {named[0]}"
    for rule in one.conflict.rules:
        if rule not in common:
            yield replace(rule, text=f"{where}: {rule.text}")
