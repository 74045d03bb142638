"""Quota: the most that the workloads of a namespace may request together."""

from dataclasses import dataclass, field

from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.variables import Place
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, Quota, Total, total
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.quota import KIND, QuotaScope, allowed
from fairlead.models.workload import Workload


def encode(rule: Quota, problem: Problem, encoding: Encoding) -> None:
    """Keep what the workloads of a namespace request together within the quota.

    For every limited resource r, on the limit's cluster or on all clusters c, over the workloads a of the
    namespace, of which one replica requests d_ar::

        sum d_ar x_ac <= allowed_r

    On all clusters a workload with a total of N_a replicas asks for ``d_ar N_a`` wherever they stand, so that
    is taken from the right side and its variables stay out of the row; most such rows are empty then. The row
    is divided by the greatest common divisor g of its requests, ``sum (d_ar / g) x_ac <= floor(allowed_r /
    g)``, and left out where it holds whatever the placement. Every single workload gives ``x_ac <=
    floor(allowed_r / d_ar)``.

    What gives way has its row only, with one slack in steps of g.
    """
    rows = {scope: _QuotaRow() for scope in rule.limits}
    for workload in problem.workloads_in(rule.namespace):
        for resource, need in needs(workload).items():
            _ask(rows, workload, resource, need, encoding)
    may = allowed(rule, problem)
    for scope in sorted(rows, key=lambda each: each.order):
        row, because = rows[scope], gives_way(rule, scope)
        limit, loose = may[scope] - row.fixed, encoding.gives(because, "most")
        for place, need in row.terms if not loose and limit >= 0 else ():
            encoding.limit(place, upper=limit // need, because=because)
        if loose or limit < 0 or len(row.terms) > 1:
            encoding.require_room(row.terms, limit, because=because)


def gives_way(rule: Quota, scope: QuotaScope) -> Origin:
    """Return the name of one limit of a quota."""
    return Origin(KIND, None, scope.cluster, f"{rule.namespace}/{rule.name} {scope.resource}")


@dataclass(slots=True)
class _QuotaRow:
    """Row of one limit: places with the request of one replica; the amount requested wherever they stand."""

    terms: list[tuple[Place, int]] = field(default_factory=list)
    fixed: int = 0


def _ask(
    rows: dict[QuotaScope, _QuotaRow], workload: Workload, resource: str, need: int, encoding: Encoding
) -> None:
    """Add to the rows of a resource what a workload asks for."""
    together = rows.get(QuotaScope(resource))
    if together is not None and _is_fixed(workload, encoding):
        together.fixed += need * workload.replicas
        together = None
    for cluster in encoding.problem.clusters:
        place = Place(workload.key, cluster.name)
        if encoding.variables.range(place).upper > 0:
            for row in (together, rows.get(QuotaScope(resource, cluster.name))):
                if row is not None:
                    row.terms.append((place, need))


def _is_fixed(workload: Workload, encoding: Encoding) -> bool:
    """Tell whether all replicas of a workload have to be placed, and no more."""
    divided = workload.rule(Total) is not None and workload.rule(Duplicated) is None
    if not divided or encoding.problem.partial:
        return False
    because = Origin(total.KIND, workload.key)
    return not (encoding.gives(because, "least") or encoding.gives(because, "most"))
