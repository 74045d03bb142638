"""Another static weight for a workload: what becomes of its rules, also where they are read again later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fairlead.models.cluster import Cluster
from fairlead.models.declared import Declared, FederatedUnit, KarmadaBinding
from fairlead.models.errors import UsageError
from fairlead.models.rules import Bounds, Candidates, Shares, Weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Cause, Exclusion
from fairlead.models.variants import Rules, every_rule, with_each, with_rules
from fairlead.models.words import shown
from fairlead.models.workload import Reading, Workload
from fairlead.solver.simulate.changes import Weight
from fairlead.solver.simulate.closing import closed_to


def weighed(workload: Workload, weight: Weight) -> Workload:
    """Give a candidate of a workload another weight, in every affinity group where it is a candidate.

    Raises `UsageError` where that makes no sense for the workload.
    """
    name = weight.cluster
    if weight.weight < 0:
        raise UsageError(f"{shown(weight.weight)} is not a weight (0, 1, 2, ...)")
    refused = _unweighable(workload, name)
    if refused:
        raise UsageError(f"{weight.workload}: {refused}")
    if {rule.weights[name] for rule in _static(workload) if name in rule.weights} == {weight.weight}:
        return workload
    after = _reweighed(workload, name, weight.weight)
    if not any(rule.names for rule in after.rules_of(Candidates)):
        raise UsageError(f"{weight.workload}: {name} is its only cluster with a weight")
    reading = None if workload.reading is None else Reweighed(workload.reading, name, weight.weight)
    # Its scheduler looks again: the placement is not the one that was applied last.
    return replace(after, declared=_edited(workload.declared), reading=reading, due=True)


def _unweighable(workload: Workload, cluster: str) -> str:
    """Say why the weight of a cluster cannot be changed; empty where it can."""
    if workload.rule(Shares) is not None:
        return "its hierarchical weights cannot be changed one by one; edit them and solve again"
    weights = [rule for rule in every_rule(workload) if isinstance(rule, Weights)]
    if not weights:
        return "it is not divided by weights"
    if all(rule.dynamic for rule in weights):
        return "its weights are the capacity of the clusters, which no policy states"
    if not any(cluster in rule.weights for rule in weights):
        candidates = workload.rule(Candidates)
        why = candidates.excluded.get(cluster) if candidates else None
        return f"{cluster} is not eligible" + (f": it {why.reason}" if why else "")
    if isinstance(workload.declared, FederatedUnit) and any(
        rule.weights.get(cluster) == 0 for rule in weights
    ):
        return f"{cluster} has weight 0 and holds its minimum only; edit the policy and solve again"
    return ""


@dataclass(frozen=True, slots=True)
class Reweighed:
    """What rules are read from, one static weight edited; see `fairlead.models.workload.Reading`."""

    reading: Reading
    cluster: str
    weight: int

    def again(self, workload: Workload, clusters: Sequence[Cluster]) -> Workload:
        """Return a workload with the rules that are read of some clusters, and the edited weight."""
        return _reweighed(self.reading.again(workload, clusters), self.cluster, self.weight)

    def with_maximum(self, cluster: str, most: int) -> Reweighed | None:
        """Return the same with another maximum on a cluster; None where it states none there."""
        found = self.reading.with_maximum(cluster, most)
        return None if found is None else replace(self, reading=found)


def _static(workload: Workload) -> Iterator[Weights]:
    """Yield the static weights of every affinity group."""
    return (rule for rule in every_rule(workload) if isinstance(rule, Weights) and not rule.dynamic)


def _reweighed(workload: Workload, name: str, weight: int) -> Workload:
    """Return a workload with another weight of a cluster; with a weight of 0 it leaves it.

    Under KubeAdmiral it holds its minimum there even so, and nothing more.
    """

    def least(rule: Bounds) -> Bounds:
        return replace(rule, maximum={**rule.maximum, name: _only(rule.minimum[name])})

    def another(rule: Weights) -> Weights:
        stated = not rule.dynamic and name in rule.weights
        return replace(rule, weights={**rule.weights, name: weight}) if stated else rule

    def reweighed(rules: Rules) -> Rules:
        return with_each(rules, Weights, another)

    if weight:
        return with_rules(workload, reweighed)
    bounds = (rule for rule in every_rule(workload) if isinstance(rule, Bounds))
    if isinstance(workload.declared, FederatedUnit) and any(name in rule.minimum for rule in bounds):
        return with_rules(workload, lambda rules: with_each(reweighed(rules), Bounds, least))
    zero = Exclusion("has static weight 0", cause=Cause.BESIDE_OTHERS)
    return closed_to(workload, {name: zero})


def _only(minimum: Bound) -> Bound:
    """Return the minimum of a cluster as its maximum."""
    return minimum._replace(ceiling=minimum.replicas)


def _edited(declared: Declared | None) -> Declared | None:
    """Return what a scheduler sees of a workload whose placement was edited."""
    return replace(declared, up_to_date=False) if isinstance(declared, KarmadaBinding) else declared
