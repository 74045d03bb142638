"""What long conflicts say: once, with everybody named."""

from fairlead.models.cluster import Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Quota, Spread, Total
from fairlead.models.rules.quota import QuotaLimit, QuotaScope
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.units import units_of
from fairlead.solver.conflicts.wording import once, shortened, told

CLUSTERS = tuple(Cluster(name, free={"cpu": 1000}, region=name) for name in "abc")
RULES = (
    Candidates(("a", "b", "c")),
    Total(),
    Spread("region", {name: frozenset(name) for name in "abc"}, 2, None),
)


def sentences(*rules: Capacity | Quota) -> list[str]:
    """Return what is said of five workloads of one policy: more than is listed one by one."""
    workloads = tuple(
        Workload(f"d/w{at}", f"w{at}", 3, requests={"cpu": 1000}, policy="policy d/p", rules=RULES)
        for at in range(5)
    )
    problem = Problem(CLUSTERS, workloads, rules)
    said = shortened(told(units_of(problem), problem), problem)
    return [each.statement.text for each in said]


def test_a_rule_of_one_policy_is_said_once_for_all_its_workloads() -> None:
    """Each by itself would say whom it is for."""
    everybody = "each of d/w0, d/w1, d/w2 and 2 more workloads"
    assert f"policy d/p: replicas in at least 2 regions, for {everybody}" in sentences(Capacity())


def test_limits_of_a_quota_are_said_once_for_all_clusters() -> None:
    """The same limit on three clusters."""
    limits = {QuotaScope("cpu", name): QuotaLimit(2000, 0) for name in "abc"}
    (said,) = [text for text in sentences(Quota("q", "d", limits)) if "allows" in text]
    assert "allows 2 cpu on each of a, b and c" in said


def test_what_is_said_twice_stands_where_it_is_said_first() -> None:
    """Affinity groups are told in the order in which they are tried."""
    workloads = tuple(Workload(key, key, 1, rules=RULES[:2]) for key in "vw")
    problem = Problem(CLUSTERS, workloads)
    first, second = told(units_of(problem), problem)
    assert once([first, second, first]) == (first, second)
