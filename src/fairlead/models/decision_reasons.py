"""Reasons why a cluster holds as many replicas of a workload as it does, in the user's words."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple

from fairlead.models import rules
from fairlead.models.cluster import groups_of
from fairlead.models.levels import MOVES_LAST
from fairlead.models.result import Result
from fairlead.models.rules import quota
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.moves import level as level_of_moves
from fairlead.models.rules.quota import counted_in, shortage
from fairlead.models.rules.spread import used_groups
from fairlead.models.rules.tiers import beyond
from fairlead.models.rules.weights import level as deviation_of
from fairlead.models.rules.weights import quotas
from fairlead.models.source import FederatedUnit
from fairlead.models.triggers import is_held_back, stays
from fairlead.models.usage import Amounts, more_of, remaining
from fairlead.models.words import format_number
from fairlead.models.workload import Workload


class Remaining(NamedTuple):
    """Free capacity and quotas after the placement; both empty where there is no placement."""

    room: Amounts
    """Free capacity by cluster and resource, see `remaining`; empty where capacity is no rule."""
    quotas: tuple[quota.Allowance, ...]


def left_of(outcome: Result) -> Remaining:
    """Return the capacity and quotas left after the placement; empty where there is none."""
    if outcome.placement is None:
        return Remaining({}, ())
    room = remaining(outcome.problem, outcome.placement) if outcome.problem.has_capacity else {}
    return Remaining(room, quota.left_of(outcome.problem.allowances, outcome.problem, outcome.placement))


class ClusterReason(NamedTuple):
    """Reason why a cluster holds as many replicas as it does."""

    text: str
    binds: Literal["", "from above", "from below"] = ""
    """Whether it would otherwise hold more or less."""


_ASKED_FOR = Fraction(1, 2)
"""A share that is so much larger than what a cluster holds asks for one replica more."""


@dataclass(frozen=True)
class WorkloadView:
    """A workload with everything that its reasons need."""

    outcome: Result
    workload: Workload
    left: Remaining

    @cached_property
    def placed(self) -> Mapping[str, int]:
        """Replicas by cluster; empty where there is no placement."""
        return self.outcome.placement.of(self.workload.key) if self.outcome.placement is not None else {}

    @cached_property
    def candidates(self) -> rules.Candidates:
        """The candidates; every cluster where no rule says which."""
        every = tuple(self.outcome.problem.cluster_by_name)
        return self.workload.rule(rules.Candidates) or rules.Candidates(every)

    @cached_property
    def open_to(self) -> frozenset[str]:
        """Names of the candidates."""
        return frozenset(self.candidates.names)

    @cached_property
    def bounds(self) -> rules.Bounds:
        """Minima and maxima."""
        return self.workload.rule(rules.Bounds) or rules.Bounds()

    @cached_property
    def weights(self) -> rules.Weights | None:
        """The wanted ratio; None where there is none."""
        return self.workload.rule(rules.Weights)

    @cached_property
    def wanted(self) -> Mapping[str, Fraction]:
        """The exact share of every candidate."""
        return wanted(self.workload, self.placed)

    @cached_property
    def priced(self) -> tuple[rules.Price, ...]:
        """The prices that count before the deviation from the weights."""
        found, order = self.workload.rules_of(rules.Price), self.outcome.problem.levels
        share = order.index(deviation_of(self.weights).key) if found and self.weights else len(order)
        return tuple(rule for rule in found if order.index(rule.level.key) < share)

    @cached_property
    def keeps(self) -> bool:
        """True where what runs stays before the ratio counts."""
        moves = self.workload.rule(rules.Moves)
        return moves is not None and level_of_moves(moves, self.workload) != MOVES_LAST

    @cached_property
    def broken(self) -> Mapping[str, str]:
        """Sentence on the first rule, its own or shared, that the placement breaks there, by cluster."""
        return {
            violation.cluster: violation.text
            for violation in reversed(self.outcome.violations)
            if violation.cluster is not None
            and violation.workload in (None, self.workload.key)
            and (violation.rule != quota.KIND or violation.detail in self.counted)
        }

    @cached_property
    def counted(self) -> frozenset[str]:
        """The limits of quotas that count the workload."""
        return counted_in(self.workload, self.left.quotas)

    @cached_property
    def short(self) -> Mapping[str, str]:
        """Sentence on a rule of the workload that gave way there, by cluster; of several the last."""
        return {
            shortfall.cluster: shortfall.text
            for shortfall in self.outcome.shortfalls
            if shortfall.cluster is not None and shortfall.workload == self.workload.key
        }


def excluded(view: WorkloadView, cluster: str) -> str:
    """Return the end of Karmada's sentence "1 cluster(s) ..."."""
    exclusion = view.candidates.excluded.get(cluster)
    return exclusion.reason if exclusion else "is not eligible"


def find(view: WorkloadView, cluster: str) -> ClusterReason:
    """Return the first rule that settles a cluster; the share of the weights where none does."""
    replicas = view.placed.get(cluster, 0)
    if cluster in view.broken and (replicas or cluster in view.open_to):
        return ClusterReason(f"breaks a rule: {view.broken[cluster]}")
    if cluster not in view.open_to:
        return ClusterReason(excluded(view, cluster))
    if not view.workload.replicas:
        return ClusterReason("scaled to 0")
    if stays(view.workload):
        held_back = is_held_back(view.workload)
        why = "rescheduling is disabled" if held_back else "KubeAdmiral would not look at it again"
        return ClusterReason(f"keeps its replicas: {why}")
    if not replicas and (limit := _not_chosen(view, cluster)):
        return ClusterReason(limit)
    if view.workload.rule(rules.Duplicated) is not None:
        return ClusterReason("full copy" if replicas else view.short.get(cluster) or _no_copy(view, cluster))
    bound = _at_bound(view, cluster, replicas) or _kept(view, cluster, replicas)
    return bound or _full(view, cluster, replicas) or _share(view, cluster, replicas)


def _no_copy(view: WorkloadView, cluster: str) -> str:
    copies = view.workload.rule(rules.Duplicated) or rules.Duplicated()
    short = shortage(view.workload, cluster, copy_on(copies, view.workload, cluster), view.left.quotas)
    return f"no copy: {short.text}" if short else "no copy"


def _not_chosen(view: WorkloadView, cluster: str) -> str:
    """Say the limit on the clusters or groups in use, where one more would be too many.

    Empty where nothing does, or where the share of the cluster would ask for no replica anyway.
    """
    if earlier := _tiers_that_suffice(view, cluster):
        return f"not needed: {'tier 1 holds' if earlier == 1 else 'earlier tiers hold'} all replicas"
    if view.workload.rule(rules.Aggregated) is not None:
        if full := _no_room(view, cluster):
            return full.text
        if view.keeps and _is_what_runs(view):
            return "not needed: what runs stays"
        few = "Binpack" if isinstance(view.workload.declared, FederatedUnit) else "Aggregated"
        return f"not needed: {few} uses as few clusters as possible"
    wanted, with_it = view.wanted.get(cluster), {**view.placed, cluster: 1}
    for rule in view.workload.rules_of(rules.Spread) if wanted is None or wanted >= _ASKED_FOR else ():
        most = rule.maximum
        if most is not None and len(used_groups(rule, with_it)) > most == len(used_groups(rule, view.placed)):
            return f"not selected: at most {groups_of(most, rule.field)} may be used"
    return ""


def _is_what_runs(view: WorkloadView) -> bool:
    """Tell whether all replicas are placed and none is started."""
    held, placed = view.workload.current, view.placed
    started = any(count > held.get(name, 0) for name, count in placed.items())
    return not started and sum(placed.values()) == view.workload.replicas


def _tiers_that_suffice(view: WorkloadView, cluster: str) -> int:
    """Return how many tiers come before that of a cluster, where they hold all replicas; else 0."""
    rule, placed = view.workload.rule(rules.Tiers), view.placed
    if rule is None or sum(placed.values()) != view.workload.replicas:
        return 0
    earlier = next((number for number, inside in enumerate(rule.tiers) if cluster in inside), 0)
    return 0 if beyond(rule, placed, earlier) else earlier


def at_most(bound: Bound, workload: Workload) -> str:
    """Say that a cluster is at its maximum, and which annotation states that where the policy does not."""
    unit, annotation = workload.declared, bound.source.annotation if bound.source else ""
    overrides = isinstance(unit, FederatedUnit) and annotation in unit.overriding  # said beside every reason
    by = f" by annotation {annotation}" if annotation and not overrides else ""
    return f"at its maximum of {bound.replicas}{by}"


def _at_bound(view: WorkloadView, cluster: str, replicas: int) -> ClusterReason | None:
    """Say that a cluster would hold more without its maximum, or less without its minimum."""
    most, least = view.bounds.maximum.get(cluster), view.bounds.minimum.get(cluster)
    wanted = view.wanted.get(cluster)
    if most and replicas >= most.replicas and (wanted is None or wanted > most.replicas):
        return ClusterReason(at_most(most, view.workload), "from above")
    if least and replicas < least.replicas and cluster in view.short:
        full = _full(view, cluster, replicas)
        because = f": {full.text}" if full else ""
        return ClusterReason(f"below its minimum of {least.replicas}{because}", "from above")
    if least and 0 < least.replicas >= replicas and (wanted is None or wanted < least.replicas):
        if replicas == least.replicas:
            return ClusterReason(f"at its minimum of {least.replicas}", "from below")
        if not replicas:
            return ClusterReason(
                f"not used: it would hold at least its minimum of {least.replicas}", "from above"
            )
    return None


def _kept(view: WorkloadView, cluster: str, replicas: int) -> ClusterReason | None:
    """Say that a cluster keeps what runs there, because it must not grow or because moves come first."""
    held = view.workload.current.get(cluster, 0)
    wanted = view.wanted.get(cluster)
    if cluster in view.candidates.held_only and replicas == held:
        reason = view.candidates.held_only[cluster].reason
        return ClusterReason(f"keeps its replicas, takes no new ones: {reason}", "from above")
    if view.keeps and replicas == held > 0:
        return ClusterReason(
            "keeps its replicas", "from below" if wanted is not None and wanted < replicas else ""
        )
    return None


def _full(view: WorkloadView, cluster: str, replicas: int) -> ClusterReason | None:
    """Say that no further replica fits, where the share would ask for one."""
    wanted = view.wanted.get(cluster)
    if wanted is not None and wanted < replicas + _ASKED_FOR:
        return None
    return _no_room(view, cluster)


def _no_room(view: WorkloadView, cluster: str) -> ClusterReason | None:
    """Say that no further replica fits."""
    where = view.outcome.problem.cluster_by_name[cluster]
    more = more_of(view.workload, where, view.left.room) if view.left.room else None
    if more is None or more.replicas:
        short = shortage(view.workload, cluster, 1, view.left.quotas)
        return ClusterReason(short.text, "from above") if short else None
    return ClusterReason(f"at capacity ({more.told})", "from above")


def _share(view: WorkloadView, cluster: str, replicas: int) -> ClusterReason:
    """Say the costs of a replica that count before the share, and how large the share is."""
    costs = (
        f"{rule.level.name} {format_number(rule.prices.get(cluster, Fraction(0)))} {rule.currency}".rstrip()
        for rule in view.priced
    )
    return ClusterReason(
        "; ".join((*(f"{each} per replica" for each in costs), _portion(view, cluster, replicas)))
    )


def _portion(view: WorkloadView, cluster: str, replicas: int) -> str:
    if view.weights is None:
        return f"{replicas} of {view.workload.replicas}"
    weight = view.weights.weights.get(cluster, 0)
    if not weight:
        return "no capacity" if view.weights.dynamic else "weight is 0"
    kind = "capacity" if view.weights.dynamic else "weight"
    ratio = f"({kind} {weight} of {sum(view.weights.weights.values())})"
    wanted = view.wanted[cluster]
    if wanted == replicas:
        return f"exactly its share {ratio}"
    return f"its share is {float(wanted):.2f} {ratio}"


def wanted(workload: Workload, placed: Mapping[str, int]) -> Mapping[str, Fraction]:
    """Return the exact share of every candidate in replicas; empty where nothing is weighed.

    `placed`: its replicas by cluster; overflow tiers share what each of them holds.
    """
    if workload.rule(rules.Duplicated) is not None:
        return {}
    hierarchy = workload.rule(rules.Shares)
    if hierarchy is not None:
        innermost = [group for group in hierarchy.depths[-1] if len(group.clusters) == 1]
        return {next(iter(group.clusters)): group.share * workload.replicas for group in innermost}
    weights = workload.rule(rules.Weights)
    return quotas(weights, workload, placed) if weights else {}
