"""Who may stand elsewhere, and who is tied to whom, where levels are loosened."""

from collections.abc import Collection

from fairlead.models.levels import Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, MoveBudget
from fairlead.models.score import levels_of, score
from fairlead.models.workload import Workload
from fairlead.solver.answer import Answer
from fairlead.solver.boxes import has_box
from fairlead.solver.components import tied_by
from fairlead.solver.rows import Placed
from fairlead.solver.spans import Spans


def settled(problem: Problem, spans: Spans) -> frozenset[str]:
    """Return the workloads that have one placement only, by rules of their own."""
    return frozenset(
        each.key
        for each in problem.workloads
        if has_box(each) and all(low == high for low, high in spans[each.key].ends.values())
    )


def chooses_copies(workload: Workload) -> bool:
    """Tell whether a workload chooses on which clusters it has copies."""
    copies = workload.rule(Duplicated)
    return copies is not None and copies.choice


def reaches(found: Answer, alone: Placed, levels: Collection[Level]) -> bool:
    """Tell whether levels are what the workloads need alone, down to the last of those that say who stays."""
    part = found.part
    order = levels_of(part)
    places = [order.index(level) for level in levels if level in order]
    if not places or not all(each.key in alone for each in part.workloads):
        return not places
    needed = score(part, Placement(alone))[: max(places) + 1]
    return all(one.value == other.value for one, other in zip(found.attained, needed, strict=False))


def resting(problem: Problem, found: Answer) -> frozenset[str]:
    """Return the workloads that nobody would look at again, and that stand where they run."""
    placement = found.placement or Placement({})
    return frozenset(
        each.key
        for each in problem.workloads
        if not each.due and not each.fresh and dict(placement.of(each.key)) == dict(each.current)
    )


def tied(keys: frozenset[str], problem: Problem, staying: frozenset[str]) -> frozenset[str]:
    """Return some workloads with all that shared rules tie to them; who stays uses no budget of moves."""
    sets = [
        frozenset(tied_by(rule, problem)) - (staying if isinstance(rule, MoveBudget) else frozenset())
        for rule in problem.rules
    ]
    while True:
        more = keys.union(*(inside for inside in sets if not inside.isdisjoint(keys)))
        if more == keys:
            return keys
        keys = more
