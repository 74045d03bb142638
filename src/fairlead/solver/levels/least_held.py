"""Whether a placement that is as good could place less of a workload."""

from collections.abc import Iterable

from fairlead.encoders.registry import encode
from fairlead.encoders.variables import Group, replicas_at
from fairlead.models.levels import Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.solver.running.engine import run
from fairlead.solver.running.search import Effort, Search, Verdict


def holds_least(part: Problem, placement: Placement, levels: Iterable[Level], search: Search) -> bool:
    """Tell whether no placement that costs no more on some levels places less of any workload.

    One run of CP-SAT; False also where that does not settle it in time. Costs of a model may lie below the
    true ones, so that it holds more placements than there are: where none of these will do, none does.

    Parameters
    ----------
    part
        The question.
    placement
        Where everybody stands.
    levels
        First levels of the part.
    """
    encoding = encode(part, in_time=lambda: search.deadline.remaining() > 0)
    if encoding is None:
        return False
    for level in levels:
        encoding.pin(level, encoding.levels[level].steps(placement))
    fewer = []
    for workload in part.workloads:
        everywhere = Group(workload.key, frozenset(part.cluster_by_name))
        less = encoding.model.new_bool_var("")
        most = replicas_at(placement, everywhere) - 1
        encoding.model.add(encoding.selection.total(everywhere) <= most).only_enforce_if(less)
        fewer.append(less)
    encoding.model.add_bool_or(fewer)
    effort = Effort(search.deadline, 1, search.seed)
    return run(encoding.model, [], [], [], effort).verdict is Verdict.INFEASIBLE
