"""Affinity groups: which exclusive set of clusters each workload gets."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fairlead.models.outcome import RejectedGroup
from fairlead.models.problem import Problem
from fairlead.models.variants import in_groups, without_preferences
from fairlead.models.workload import AffinityGroup, Workload, from_start, settled_in
from fairlead.solver.answers.answer import components
from fairlead.solver.conflicts.alone import conflicts, fails_alone
from fairlead.solver.exact.boxes import box_of, has_box
from fairlead.solver.groups.choices import apart, is_open
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search

if TYPE_CHECKING:
    from fairlead.solver.groups.joint import JointChoice

Feasible = Callable[[Problem], bool | None]

SHARE_OF_TIME = 0.5
"""Part of the time left for looking for a joint choice."""
OTHERS_LEFT = "with it and the groups chosen before it, not all other workloads can be placed"
NONE_LEFT = "no placement on its clusters keeps all rules"
OUT_OF_TIME = "no placement with it was found in time"


@dataclass(frozen=True, slots=True)
class GroupedProblem:
    """A problem in which every workload has its group."""

    problem: Problem
    rejected: Mapping[str, tuple[RejectedGroup, ...]]
    """Groups that were passed over before the chosen one, by workload, with the reason."""
    earliest: bool = True
    """True where it is certain that no earlier joint choice has a placement."""
    exhausted: bool = True
    """True where it is certain that no joint choice has a placement if the chosen one has none; in a partial
    problem also in which groups least gives way."""


@dataclass(frozen=True, slots=True)
class ChosenGroups:
    """The groups of workloads that may get into each other's way."""

    groups: Mapping[str, AffinityGroup]
    """The group of every workload that has any, by key."""
    found: bool = True
    """True where all of them can be placed like that; False where that is not so, or not known."""
    earliest: bool = True
    exhausted: bool = True
    """Certainty of the choice, as in `GroupedProblem`."""


Otherwise = Callable[[Problem], ChosenGroups]
"""Chooses groups where no joint choice is known that has a placement."""


def choose_groups(
    problem: Problem,
    feasible: Feasible,
    search: Search,
    otherwise: Otherwise | None = None,
) -> GroupedProblem:
    """Choose an affinity group for every workload that has several.

    Of all joint choices that have a placement it is the first: the most urgent workload gets the first group,
    from the observed one on, that leaves the others any choice; then the next one, by priority and key.
    Workloads that cannot get into each other's way in any of their groups are chosen for apart. Where no
    joint choice will do, all get their first groups, unless something else is said.

    `feasible`: tells whether a problem has any placement; `search`: when the answer is due;
    `otherwise`: chooses where no joint choice is known that has a placement; None takes the first
    groups.
    """
    due = search.deadline
    chosen = _first_groups(problem)
    if not due.remaining() and any(map(is_open, problem.workloads)):
        return GroupedProblem(in_groups(problem, chosen), {}, earliest=False, exhausted=False)
    answers: list[ChosenGroups] = []
    rejected: dict[str, tuple[RejectedGroup, ...]] = {}
    for part in _parts(problem):
        answer = _choose(part, feasible, search)
        if not answer.found and otherwise is not None and due.remaining():
            other = otherwise(part)
            answer = replace(other, exhausted=answer.exhausted and other.exhausted)
        answers.append(answer)
        chosen |= answer.groups
        rejected |= _rejected(part, answer)
    return GroupedProblem(
        in_groups(problem, chosen),
        rejected,
        all(answer.earliest for answer in answers),
        all(answer.exhausted for answer in answers),
    )


def in_first_groups(problem: Problem) -> Problem:
    """Return a problem in which every workload has the first group that it may still get."""
    return in_groups(problem, _first_groups(problem))


def _first_groups(problem: Problem) -> dict[str, AffinityGroup]:
    return {workload.key: from_start(workload)[0] for workload in problem.workloads if workload.groups}


def _parts(problem: Problem) -> Iterator[Problem]:
    """Yield the parts to choose for together: workloads that may meet, one of them with a choice."""
    if any(map(is_open, problem.workloads)):
        yield from (part for part in apart(problem) if any(map(is_open, part.workloads)))


def _choose(part: Problem, feasible: Feasible, search: Search) -> ChosenGroups:
    """Choose the groups of workloads that may get into each other's way.

    Groups in which a workload cannot be placed even by itself are passed over at once. Where everything can
    be placed with what is left first, that is the choice; only parts that share clusters are asked about.
    """
    start = {each.key: from_start(each)[0] for each in part.workloads if each.groups}
    able = {key: list(_able(part.workload(key), part, search.deadline)) for key in start}
    if not all(able.values()):
        return ChosenGroups(start, found=False)
    first = {key: groups[0] for key, groups in able.items()}
    asked = (
        each
        for each in components(in_groups(part, first))
        if not able.keys().isdisjoint(each.workload_by_key)
    )
    unknown = ChosenGroups(first, found=False, earliest=False, exhausted=False)
    if not search.deadline.remaining():
        return unknown
    if all(feasible(each) for each in asked):
        return ChosenGroups(first)
    if not search.deadline.remaining():
        return unknown
    joint = _first_joint(part, able, search.part(SHARE_OF_TIME))
    if joint.positions is None:
        return ChosenGroups(start if joint.proven else first, found=False, exhausted=joint.proven)
    chosen = {key: able[key][at] for key, at in joint.positions.items()}
    return ChosenGroups(first | chosen, earliest=joint.proven)


def _able(workload: Workload, problem: Problem, deadline: Deadline) -> Iterator[AffinityGroup]:
    """Yield the groups in which nothing is seen to keep a workload from being placed by itself.

    Where time is over nothing is looked at.
    """
    for group in from_start(workload):
        if not deadline.remaining() or not fails_alone(settled_in(workload, group), problem):
            yield group


def _first_joint(part: Problem, able: Mapping[str, Sequence[AffinityGroup]], search: Search) -> "JointChoice":
    """Look for the first joint choice among groups that will do by themselves."""
    options = {
        key: [without_preferences(settled_in(part.workload(key), group)) for group in groups]
        for key, groups in able.items()
    }
    workloads = tuple(
        options[each.key][0] if each.key in options else without_preferences(each) for each in part.workloads
    )
    several = {key: choices for key, choices in options.items() if len(choices) > 1}
    from fairlead.solver.groups.joint import first_choice

    return first_choice(replace(part, workloads=workloads, partial=False), several, search)


def _rejected(part: Problem, answer: ChosenGroups) -> dict[str, tuple[RejectedGroup, ...]]:
    """Say why groups before the chosen ones will not do."""
    found: dict[str, tuple[RejectedGroup, ...]] = {}
    for key, group in answer.groups.items():
        workload = part.workload(key)
        groups = from_start(workload)
        passed = groups[: groups.index(group)]
        if passed:
            found[key] = tuple(rejection(each, workload, part, certain=answer.earliest) for each in passed)
    return found


def rejection(
    group: AffinityGroup, workload: Workload, problem: Problem, *, certain: bool = True
) -> RejectedGroup:
    """Say why a group will not do for a workload of a problem."""
    tried = settled_in(workload, group)
    others = tuple(each for each in problem.workloads if each.key != workload.key)
    together = replace(problem, workloads=(*others, tried))
    boxes = {tried.key: box_of(tried, together, together.limits)} if has_box(tried) else {}
    found = conflicts(together, boxes)
    if found:
        return RejectedGroup(group.name, str(found[0].told()), group.source)
    left = OTHERS_LEFT if others else NONE_LEFT
    return RejectedGroup(group.name, left if certain else OUT_OF_TIME, group.source)
