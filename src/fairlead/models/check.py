"""The pure checker: which rules a placement breaks, in the user's words. Knows no solver."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from fairlead.models.errors import UsageError
from fairlead.models.in_order import kept
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.requirement import Requirement
from fairlead.models.rules import Bounds, Candidates, Preference, WorkloadRule, bounds
from fairlead.models.statement import Violation
from fairlead.models.workload import Workload, Workloads, from_start, settled_in


def check(problem: Problem, placement: Placement | Mapping[str, Mapping[str, int]]) -> tuple[Violation, ...]:
    """Return every rule that a placement breaks, as `fairlead.check` does, of a problem that is complete.

    Of several affinity groups the rules of the first one count that the placement keeps, see
    `in_kept_group`.
    """
    placed = placement if isinstance(placement, Placement) else Placement(placement)
    strangers = [key for key in placed if key not in problem.workload_by_key]
    if strangers:
        raise UsageError(f"the placement names workloads that are not in the problem: {', '.join(strangers)}")
    return (
        *own_violations(problem, placed),
        *shared_violations(in_kept_groups(problem, placed), placed),
    )


def own_violations(problem: Problem, placement: Placement) -> tuple[Violation, ...]:
    """Return the violations of rules of single workloads, as `check` does."""
    return placement.once(_own_violations, problem.all_workloads)


def _own_violations(placement: Placement, workloads: Workloads) -> tuple[Violation, ...]:
    well = sound(workloads)
    placed = ((each, placement.of(each.key)) for each in workloads)
    # Most of a running fleet stays, and was looked at there.
    asked = (one for one in placed if one[0].groups or one[0].key not in well or one[1] != one[0].current)
    return tuple(one for each, held in asked for one in violations_of(in_kept_group(each, held), held))


def violations_of(
    workload: Workload, placed: Mapping[str, int], rules: Iterable[WorkloadRule] | None = None
) -> Iterator[Violation]:
    """Return the violations of the rules that a workload has now, whatever other affinity groups it has.

    `placed`: its replicas by cluster. `rules`: those of its rules that are looked at; None means all.
    """
    for rule in workload.rules if rules is None else rules:
        if isinstance(rule, Bounds):  # most bounds are kept at first sight
            yield from broken(bounds.in_question(rule, workload, placed), placed)
        else:
            yield from broken(required_by(rule, workload, placed), placed)


def broken(requirements: Iterable[Requirement], placed: Mapping[str, int]) -> Iterator[Violation]:
    """Yield the violations of requirements of a workload by its placement (replicas by cluster)."""
    for requirement in requirements:
        if requirement.excess(placed) and (violation := requirement.violation(placed)):
            yield violation


def with_due(workloads: Iterable[Workload]) -> tuple[Workload, ...]:
    """Return workloads of which all are called due that are, whether somebody asks to reschedule them or not.

    A scheduler would look again at a workload where the placement that was applied last is not the one that
    counts now, where what runs does not add up (`Workload.due`), and where what runs breaks a rule of the
    workload's own: a taint, an eviction, a bound. What workloads share, such as capacity and quotas, makes
    nobody due. One that somebody asked to reschedule (`Workload.fresh`) is placed anew, due or not.
    """
    return tuple(
        replace(each, due=True) if not each.due and any(violations_of(each, each.current)) else each
        for each in workloads
    )


@kept
def sound(workloads: Workloads) -> frozenset[str]:
    """Return the keys of the workloads that run, and keep the rules they have where they do."""
    running = (each for each in workloads if each.current)
    return frozenset(each.key for each in running if not any(violations_of(each, each.current)))


def in_kept_group(workload: Workload, placed: Mapping[str, int]) -> Workload:
    """Return a workload with the rules by which its placement counts.

    Those of its affinity group, where that is settled or there is only one. Otherwise those of the first
    group, from the observed one on, that the placement keeps; of the first one that it keeps but for what
    may give way, where it keeps none; of the start where it does not even do that. What `solve` answers is
    found in the group that was chosen: that is the first one in which there is such a placement.
    """
    groups = from_start(workload)
    if workload.settled or not groups:
        return workload
    partly: Workload | None = None
    for group in groups:
        tried = settled_in(workload, group)
        broken = list(violations_of(tried, placed))
        if not broken:
            return tried
        if partly is None and all(violation.gives_way for violation in broken):
            partly = tried
    return partly or settled_in(workload, groups[0])


def in_kept_groups(problem: Problem, placement: Placement) -> Problem:
    """Return a problem in which every workload has the rules by which its placement counts."""
    if all(workload.settled or not workload.groups for workload in problem.workloads):
        return problem
    kept = tuple(in_kept_group(each, placement.of(each.key)) for each in problem.workloads)
    return replace(problem, workloads=kept)


def shared_violations(problem: Problem, placement: Placement) -> tuple[Violation, ...]:
    """Return the rules that several workloads share and that a placement breaks."""
    return tuple(violation for rule in problem.rules for violation in rule.violations(problem, placement))


def required_by(rule: WorkloadRule, workload: Workload, clusters: Iterable[str]) -> Iterable[Requirement]:
    """Return the requirements of one rule of a workload; none where it only prefers something.

    Of closed clusters only those are told that are among the given ones.
    """
    if isinstance(rule, Preference):
        return ()
    if isinstance(rule, Candidates):
        return rule.requirements(workload, clusters)
    return rule.requirements(workload)
