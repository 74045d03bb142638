"""Batches of which not everything can be placed: what stays unplaced stands on a cluster that is nowhere.

It has room for all, every replica there costs one, and that cost comes before all levels. So the fewest
replicas stay unplaced, those of lower priority first, and a bound tells how few that can be.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from fairlead.models.cluster import Cluster
from fairlead.models.errors import InternalError
from fairlead.models.levels import COST, NAMES
from fairlead.models.outcome import Attained, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.requirement import UNPLACED
from fairlead.models.result import Progress
from fairlead.models.rules import Bounds, Candidates, Capacity, Price, Tiers, WorkloadRule
from fairlead.models.score import score
from fairlead.models.shortfall import refused, shortfall_levels
from fairlead.models.workload import Workload
from fairlead.solver.answers.attainment import LexicographicResult
from fairlead.solver.batch.levels import Report, solve_batch
from fairlead.solver.batch.separable import applies
from fairlead.solver.running.search import Search


def applies_partly(part: Problem) -> bool:
    """Tell whether `solve_partly` can solve a problem: a partial batch in which only totals give way."""
    if not part.partial or not all(isinstance(rule, Capacity) for rule in part.rules):
        return False
    if not all(map(_gives_way_by_total, part.workloads)):
        return False
    if any(level.key != UNPLACED for level in shortfall_levels(part)):
        return False
    return applies(replace(part, partial=False)) and applies(with_nowhere(part))


def _gives_way_by_total(workload: Workload) -> bool:
    """Tell whether a workload asks for no replicas on single clusters, and has no price."""
    least = (bound.replicas for rule in workload.rules_of(Bounds) for bound in rule.minimum.values())
    return workload.rule(Price) is None and not any(least)


def solve_partly(
    part: Problem,
    search: Search,
    floor: Placement | None = None,
) -> LexicographicResult:
    """Place as much of a batch as there is room for, the most urgent workloads first.

    `applies_partly` must hold; all else is as for `solve_batch`. A floor that breaks what never gives way is
    not used.
    """
    whole, nowhere = with_nowhere(part), nowhere_of(part)
    start = None if floor is None or refused(part, floor) else _filled(part, floor)
    tell = None if search.progress is None else _telling(search.progress)
    result = solve_batch(whole, replace(search, progress=tell), start)
    if result.placement is None:
        # All replicas nowhere is a placement.
        if result.status is Status.INFEASIBLE:
            raise InternalError("a batch is called infeasible although everything may stay unplaced")
        return result
    placement = Placement(
        {
            key: {name: count for name, count in placed.items() if name != nowhere}
            for key, placed in result.placement.items()
        }
    )
    if refused(part, placement):
        raise InternalError("a partial batch breaks a rule that never gives way")
    attained = tuple(
        _same(level, found) for level, found in zip(score(part, placement), result.attained, strict=True)
    )
    return LexicographicResult(result.status, placement, attained, result.settled)


def _same(level: Attained, found: Attained) -> Attained:
    """Return a level with what was proven of its stand-in."""
    if level.value != found.value:
        raise InternalError(f"level {level.name} is {level.value}, not {found.value}")
    return replace(found, name=level.name, value=level.value)


def _telling(progress: Report) -> Report:
    """Return a report that tells replicas beyond all clusters as unplaced."""

    def tell(step: Progress) -> None:
        progress(replace(step, level=NAMES[UNPLACED]) if step.level == COST.name else step)

    return tell


def _filled(part: Problem, placement: Placement) -> Placement:
    """Return a placement with what is missing nowhere."""
    found: dict[str, Mapping[str, int]] = {}
    for workload in part.workloads:
        placed = placement.of(workload.key)
        found[workload.key] = {**placed, nowhere_of(part): workload.replicas - sum(placed.values())}
    return Placement(found)


def nowhere_of(part: Problem) -> str:
    """Return the name of the cluster that is nowhere: no other has it, and in order it is the last."""
    return f"{max((cluster.name for cluster in part.clusters), default='')}-nowhere"


def with_nowhere(part: Problem) -> Problem:
    """Return a problem in which replicas may stand nowhere, as few as possible before all other levels."""
    nowhere = nowhere_of(part)
    return replace(
        part,
        clusters=(*part.clusters, Cluster(nowhere)),
        workloads=tuple(_may_be_nowhere(each, nowhere) for each in part.workloads),
        levels=(COST.key, *(key for key in part.levels if key != COST.key)),
        # Replicas that stay unplaced are no price, and have no tolerance.
        tolerances={key: each for key, each in part.tolerances.items() if key != COST.key},
        partial=False,
    )


def _may_be_nowhere(workload: Workload, nowhere: str) -> Workload:
    """Return a workload that may stand nowhere, at a price."""
    rules: list[WorkloadRule] = [Price({nowhere: Fraction(1)})]
    for rule in workload.rules:
        if isinstance(rule, Candidates):
            rules.append(replace(rule, names=(*rule.names, nowhere)))
        elif isinstance(rule, Tiers) and rule.tiers:
            rules.append(replace(rule, tiers=(rule.tiers[0] | {nowhere}, *rule.tiers[1:])))
        else:
            rules.append(rule)
    return replace(workload, rules=tuple(rules), groups=())
