"""Kinds of our own (fairlead.io/v1alpha1): rules that the APIs of Karmada and KubeAdmiral cannot state."""

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, ConfigDict, Field

from fairlead.manifests.api.meta import Api, Count, Filled, Object, Text, Weight
from fairlead.manifests.api.own_values import (
    Amount,
    ClusterSet,
    GroupField,
    Percent,
    Price,
    Rate,
    SelectingSpec,
    Tolerance,
)


class GroupBound(Api):
    """Minimum and maximum of replicas of a workload in a set of clusters together."""

    name: Text = ""
    """Name of the set, for messages only."""
    target_cluster: ClusterSet | None = None
    """The set. Either this or groupBy is required."""
    group_by: GroupField | None = None
    """Every group is a set of its own: region, zone, provider or cluster; anything else is the key of a
    label."""
    min_replicas: Count | None = None
    """Minimum of replicas in the set together; does not apply to a workload scaled to 0."""
    max_replicas: Count | None = None
    """Maximum of replicas in the set together."""


class GroupBoundsSpec(SelectingSpec):
    """How many replicas of every selected workload sets of clusters hold."""

    groups: tuple[GroupBound, ...]
    """All of them apply; sets may overlap."""


class GroupBounds(Object):
    """Minimum and maximum of replicas of a workload in sets of clusters, such as regions."""

    spec: GroupBoundsSpec
    """The workloads, and how many of their replicas run where."""


class PriceEntry(Api):
    """Price of a replica on a set of clusters: a fixed price, or prices of the resources that it requests."""

    target_cluster: ClusterSet = Field(default_factory=ClusterSet)
    """The clusters; left out: every cluster."""
    price_per_replica: Price | None = None
    """Price of one replica, such as "0.12", in any currency."""
    per_resource: Mapping[str, Price] | None = None
    """Price by resource: of one core of cpu, one GiB of memory or storage, one unit of anything else (a pod,
    a GPU)."""


class PriceListSpec(SelectingSpec):
    """Prices of the replicas of the selected workloads, by set of clusters."""

    prices: tuple[PriceEntry, ...]
    """The first entry that matches a cluster counts; one that none matches is free."""
    level: Literal["cost", "emissions"] = "cost"
    """Meaning of the numbers, and the level on which they count: cost in any currency, or emissions in grams;
    left out: cost."""
    currency: Filled | None = None
    """Currency or unit of the prices, such as "EUR" or "USD/month"; only told, never converted. Emissions are
    grams."""


class PriceList(Object):
    """Cost or emissions of replicas on clusters; minimised as a level, which is cost unless it says so."""

    spec: PriceListSpec
    """The workloads, and the prices of their replicas by cluster."""


class LossSpec(Api):
    """Groups of one field that are lost at the same time."""

    field: GroupField
    """region, zone, provider or cluster; anything else is the key of a label."""
    groups: Annotated[Count, Field(ge=1)] = 1
    """Number of groups that are lost at the same time; default 1."""


class SurvivalSpec(SelectingSpec):
    """Groups of clusters that may be lost, and the replicas that have to be left then."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["field"]}, {"required": ["losses"]}]}
    )

    field: GroupField | None = None
    """Groups of which any one may be lost: region, zone, provider or cluster; anything else is the key of a
    label. Either this or losses is needed."""
    losses: tuple[LossSpec, ...] = ()
    """Groups that may be lost at the same time: any one region and any one cluster, two regions."""
    min_replicas: Count | None = None
    """Replicas that must be left. Either this or minPercent is required."""
    min_percent: Percent | None = None
    """Part of the workload's replicas that is left, such as "50%", rounded up."""


class Survival(Object):
    """Enough replicas are left when regions, zones, providers, clusters or label groups are lost."""

    spec: SurvivalSpec
    """The workloads, the groups that may be lost, and the replicas that must be left."""


class SkewSpec(SelectingSpec):
    """Groups of clusters that are compared, and how far their replicas may differ."""

    field: GroupField
    """Groups that are compared: region, zone, provider or cluster; anything else is the key of a label."""
    max_skew: Count
    """Largest difference in replicas between the fullest and the emptiest one."""


class Skew(Object):
    """How far the fullest and the emptiest region, zone, provider, cluster or label group may differ."""

    spec: SkewSpec
    """The workloads, and how evenly their replicas are spread."""


class WorkloadAffinitySpec(SelectingSpec):
    """Which workloads run together, or apart."""

    type: Literal["Affinity", "AntiAffinity"]
    """Affinity: a later workload uses only clusters that every earlier one uses. AntiAffinity: no two of them
    share a cluster."""
    group_by_label_key: Filled | None = None
    """Only workloads with the same value of this label belong together; left out: all selected ones do."""


class WorkloadAffinity(Object):
    """Workloads that run on the same clusters, or share none."""

    spec: WorkloadAffinitySpec
    """The workloads, and whether they run together or apart."""


class Branch(Api):
    """A group of clusters in hierarchical weights."""

    weight: Weight | None = None
    """Weight against its siblings; left out: 1 where no sibling has one, else 0."""
    inside: Mapping[str, "Branch"] = Field(default_factory=dict)
    """Groups of the next field inside this one, by name."""


class HierarchicalWeightsSpec(SelectingSpec):
    """The weights by which groups of clusters are divided, depth by depth."""

    by: tuple[GroupField, ...]
    """Fields from the widest to the narrowest, such as [region, zone, cluster]; cluster is the last one,
    named or not."""
    weights: Mapping[str, Branch] = Field(default_factory=dict)
    """Groups of the first field, by name."""


class HierarchicalWeights(Object):
    """Weights of regions, inside them of zones, inside them of clusters; replaces the policy's weights."""

    spec: HierarchicalWeightsSpec
    """The workloads, and the weights by which they are divided."""


class ClusterBudget(Api):
    """How many replicas may leave a set of clusters, or arrive there."""

    target_cluster: ClusterSet = Field(default_factory=ClusterSet)
    """The clusters; left out: every cluster."""
    replicas: Amount
    """Most replicas in the set together: a number, or a percentage of those that the selected workloads run
    there now, such as "10%", rounded down."""


class MoveBudgetSpec(SelectingSpec):
    """How many replicas of the selected workloads may move; all fields apply."""

    total: Amount | None = None
    """Most replicas of all selected workloads together: a number, or a percentage of the replicas that run
    now, such as "10%", rounded down."""
    per_workload: Amount | None = None
    """Most replicas of each workload; a percentage is of its own replicas."""
    per_namespace: Amount | None = None
    """Most replicas of the selected workloads of each namespace; a percentage is of those that run now."""
    leaving: tuple[ClusterBudget, ...] = ()
    """Replicas that stop on a set of clusters, also those that need not be replaced."""
    arriving: tuple[ClusterBudget, ...] = ()
    """Replicas that start on a set of clusters, also those of new workloads."""


class MoveBudget(Object):
    """How many replicas may move away from where they run now."""

    spec: MoveBudgetSpec
    """The workloads, and how many of their replicas may move."""


class FailureRate(Api):
    """How often a group of clusters is down."""

    field: GroupField
    names: tuple[Filled, ...] = ()
    """The groups, such as eu-west; empty means every one that no other entry names."""
    rate: Rate
    """The probability that such a group is down at any moment, such as "0.1%"."""


class FailureRatesSpec(Api):
    """How often clusters are down; groups fail independently of each other."""

    rates: tuple[FailureRate, ...]
    """The groups, each with its probability of being down."""


class FailureRates(Object):
    """How often regions, zones, providers or clusters are down: answers report the expected loss."""

    spec: FailureRatesSpec
    """How often groups of clusters are down."""


class ProfileLevel(Api):
    """A level, and how much worse than best it may be for the sake of those below it."""

    name: Filled
    """Name or key of the level."""
    tolerance: Tolerance | None = None
    """A number or a text such as "0.5", in the unit of the level; or a share, "0.1%", of the least that it
    can be as far as single workloads tell; left out: the level has to be best (balance: the usual
    tolerance)."""


def _to_level(value: object) -> object:
    """Read a name alone as a level without a tolerance."""
    if not isinstance(value, str | dict):
        raise ValueError("must be the name of a level, or a mapping with name and tolerance")  # noqa: TRY004
    return {"name": value} if isinstance(value, str) else value


class ProfileSpec(Api):
    """Order and tolerance of the objective levels, and the measure of the deviation."""

    levels: tuple[
        Annotated[ProfileLevel, BeforeValidator(_to_level, json_schema_input_type=Filled | ProfileLevel)], ...
    ] = ()
    """Names or keys of objective levels, or a name with a tolerance, the most important first; those that are
    not named follow in their usual order."""
    leave_out: tuple[Literal["balance"], ...] = ()
    """Levels that do not count at all: balance may be left out."""
    deviation: Literal["webster", "l1", "minimax"] | None = None
    """Measure of the distance from the weights; left out: webster."""


class Profile(Object):
    """The order of the objective levels for the whole problem; there may be one only."""

    spec: ProfileSpec
    """The order of the levels, and the measure of the deviation."""


OwnKind = (
    FailureRates
    | GroupBounds
    | HierarchicalWeights
    | MoveBudget
    | PriceList
    | Profile
    | Skew
    | Survival
    | WorkloadAffinity
)

OWN_KINDS: dict[str, type[Object]] = {kind.__name__: kind for kind in get_args(OwnKind)}
"""API type by kind, in the order of the names."""
