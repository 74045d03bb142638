"""Move budget: how many replicas may be moved, in total or out of and into some clusters."""

from ortools.sat.python import cp_model

from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.moves import in_copies
from fairlead.encoders.variables import Place
from fairlead.models.problem import Problem
from fairlead.models.rules import MoveBudget, Total
from fairlead.models.rules import total as all_replicas
from fairlead.models.rules.move_budget import KIND
from fairlead.models.workload import Workload, running


def encode(rule: MoveBudget, problem: Problem, encoding: Encoding) -> None:
    """Move at most so many replicas.

    With s_ac >= max(0, held_ac - x_ac) replicas of workload a stopped on cluster c, and t_ac >=
    max(0, x_ac - held_ac) started there (held_ac at most a full copy where a is duplicated; only where a rule
    says the total, that can shrink)::

        sum s_ac <= most + sum max(0, sum held_ac - N_a)   over all clusters, of what need not be stopped
        sum s_ac <= most                                   over clusters that replicas leave
        sum t_ac <= most                                   over clusters at which they arrive

    Where the total of a gives way, N_a counts with what it gives way by.
    """
    counted = [
        term
        for workload in problem.workloads
        if rule.workloads is None or workload.key in rule.workloads
        for term in encoding.in_its_group(workload, lambda each: _moved(rule, each, encoding))
    ]
    encoding.require_coupled(cp_model.LinearExpr.sum(counted) <= rule.most, because=gives_way(rule))


def _moved(rule: MoveBudget, workload: Workload, encoding: Encoding) -> list[cp_model.LinearExprT]:
    """Return terms that add up to at least the replicas of a workload that count."""
    problem = encoding.problem
    going = rule.under_way.get(workload.key, frozenset())
    held = running(workload, problem.cluster_by_name.keys() - going)
    if rule.arriving is not None:
        return [
            encoding.selection.started(Place(workload.key, name), held.get(name, 0))
            for name in sorted(rule.arriving)
        ]
    held = in_copies(workload, held)
    leaving = sorted(held.keys() if rule.leaving is None else held.keys() & rule.leaving)
    stopped = [encoding.selection.stopped(Place(workload.key, name), held[name]) for name in leaving]
    if rule.leaving is None and workload.rule(Total) is not None:
        return [*stopped, -_unavoidable(sum(held.values()), workload, encoding)]
    return list(stopped)


def gives_way(rule: MoveBudget) -> Origin:
    """Return the name of a budget."""
    return Origin(KIND, None, None, rule.name)


def _unavoidable(held: int, workload: Workload, encoding: Encoding) -> cp_model.LinearExprT:
    """Return how many replicas have to be stopped, as fewer are wanted than are held."""
    because = Origin(all_replicas.KIND, workload.key)
    if not held or not (encoding.gives(because, "least") or encoding.gives(because, "most")):
        return max(0, held - workload.replicas)
    fewer, more = encoding.given.get((because, "least"), 0), encoding.given.get((because, "most"), 0)
    found = encoding.own_number(
        0, held, lambda placement: max(0, held - sum(placement.of(workload.key).values()))
    )
    encoding.model.add_max_equality(found, [0, held - workload.replicas + fewer - more])
    return found
