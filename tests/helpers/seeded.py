"""Policies as proposals print them, and what becomes of nginx under them."""

import fairlead


def printed(placement: str, name: str = "nginx") -> str:
    """Return the policy of a Deployment around a placement as printed, whose first line is the eleventh."""
    return f"""\
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: {name}
spec:
  resourceSelectors:
    - apiVersion: apps/v1
      kind: Deployment
      name: {name}
  placement:
{placement}"""


def solved(problem: fairlead.Problem, *, fresh: bool | None = None) -> dict[str, int]:
    """Return the proven placement of nginx, which the checker has nothing against."""
    outcome = fairlead.solve(problem, fresh=fresh)
    assert outcome.status is fairlead.Status.OPTIMAL
    assert outcome.placement is not None
    assert fairlead.check(outcome.problem, outcome.placement) == ()
    return dict(outcome.placement["default/nginx"])


def conflict_of(problem: fairlead.Problem) -> str:
    """Return why there is no placement."""
    outcome = fairlead.solve(problem)
    assert outcome.status is fairlead.Status.INFEASIBLE
    assert outcome.conflict is not None
    return str(outcome.conflict)
