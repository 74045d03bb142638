"""Kinds of our own (fairlead.io/v1alpha1): what the APIs of Karmada and KubeAdmiral cannot say."""

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

from pydantic import ConfigDict, Field

from fairlead.manifests.api.meta import Api, Count, Filled, Object, Text, Weight
from fairlead.manifests.api.own_values import (
    Amount,
    ClusterSet,
    GroupField,
    Percent,
    Price,
    Rate,
    SelectingSpec,
)
from fairlead.manifests.api.profile import Profile

API_VERSION = "fairlead.io/v1alpha1"


class GroupBound(Api):
    """Minimum and maximum of replicas of a workload in a set of clusters together."""

    name: Annotated[Text, Field(description="Name of the set, for messages only.")] = ""
    target_cluster: Annotated[
        ClusterSet | None, Field(description="The set. Either this or groupBy is required.")
    ] = None
    group_by: Annotated[
        GroupField | None,
        Field(
            description="Every group is a set of its own: region, zone, provider or cluster;"
            " anything else is the key of a label."
        ),
    ] = None
    min_replicas: Annotated[
        Count | None,
        Field(
            description="Minimum of replicas in the set together; does not apply to a workload scaled to 0."
        ),
    ] = None
    max_replicas: Annotated[Count | None, Field(description="Maximum of replicas in the set together.")] = (
        None
    )


class GroupBoundsSpec(SelectingSpec):
    """How many replicas of every selected workload sets of clusters hold."""

    groups: Annotated[tuple[GroupBound, ...], Field(description="All of them apply; sets may overlap.")]


class GroupBounds(Object):
    """Minimum and maximum of replicas of a workload in sets of clusters, such as regions."""

    spec: Annotated[
        GroupBoundsSpec, Field(description="The workloads, and how many of their replicas run where.")
    ]


class PriceEntry(Api):
    """What a replica costs on a set of clusters: a fixed price, or prices of what it requests."""

    target_cluster: Annotated[ClusterSet, Field(description="The clusters; left out: every cluster.")] = (
        Field(default_factory=ClusterSet)
    )
    price_per_replica: Annotated[
        Price | None, Field(description='Price of one replica, such as "0.12", in any currency.')
    ] = None
    per_resource: Annotated[
        Mapping[str, Price] | None,
        Field(
            description="Price by resource: of one core of cpu, one GiB of memory or storage, one unit of"
            " anything else (a pod, a GPU)."
        ),
    ] = None


class PriceListSpec(SelectingSpec):
    """What replicas of the selected workloads cost where."""

    prices: Annotated[
        tuple[PriceEntry, ...],
        Field(description="The first entry that matches a cluster counts; one that none matches is free."),
    ]
    level: Annotated[
        Literal["cost", "emissions"],
        Field(
            description="What the numbers are, and the level on which they count: cost in any currency, or"
            " emissions in grams; left out: cost."
        ),
    ] = "cost"
    currency: Annotated[
        Filled | None,
        Field(
            description='What the prices are counted in, such as "EUR" or "USD/month"; only told, never'
            " converted. Emissions are grams."
        ),
    ] = None


class PriceList(Object):
    """What replicas cost or emit on clusters; the total is minimised as a level, "cost" unless it says so."""

    spec: Annotated[PriceListSpec, Field(description="The workloads, and what their replicas cost where.")]


class LossSpec(Api):
    """Groups of one field that are lost at the same time."""

    field: Annotated[
        GroupField,
        Field(description="region, zone, provider or cluster; anything else is the key of a label."),
    ]
    groups: Annotated[
        Count, Field(ge=1, description="How many of them are lost at the same time; default 1.")
    ] = 1


class SurvivalSpec(SelectingSpec):
    """What may be lost, and what has to be left."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["field"]}, {"required": ["losses"]}]}
    )

    field: Annotated[
        GroupField | None,
        Field(
            description="What may be lost: any one region, zone, provider or cluster; anything else is the"
            " key of a label. Either this or losses is needed."
        ),
    ] = None
    losses: Annotated[
        tuple[LossSpec, ...],
        Field(
            description="What may be lost at the same time: any one region and any one cluster, two regions."
        ),
    ] = ()
    min_replicas: Annotated[
        Count | None, Field(description="Replicas that must be left. Either this or minPercent is required.")
    ] = None
    min_percent: Annotated[
        Percent | None,
        Field(description='Part of the workload\'s replicas that is left, such as "50%", rounded up.'),
    ] = None


class Survival(Object):
    """Enough replicas are left when regions, zones, providers, clusters or label groups are lost."""

    spec: Annotated[
        SurvivalSpec, Field(description="The workloads, what may be lost, and what must be left.")
    ]


class SkewSpec(SelectingSpec):
    """What is compared, and how far it may differ."""

    field: Annotated[
        GroupField,
        Field(
            description="What is compared: regions, zones, providers or clusters; anything else is the key of"
            " a label."
        ),
    ]
    max_skew: Annotated[
        Count,
        Field(description="Largest difference in replicas between the fullest and the emptiest one."),
    ]


class Skew(Object):
    """How far the fullest and the emptiest region, zone, provider, cluster or label group may differ."""

    spec: Annotated[SkewSpec, Field(description="The workloads, and how evenly their replicas are spread.")]


class WorkloadAffinitySpec(SelectingSpec):
    """Which workloads run together, or apart."""

    type: Annotated[
        Literal["Affinity", "AntiAffinity"],
        Field(
            description="Affinity: a later workload uses only clusters that every earlier one uses."
            " AntiAffinity: no two of them share a cluster."
        ),
    ]
    group_by_label_key: Annotated[
        Filled | None,
        Field(
            description="Only workloads with the same value of this label belong together; left out: all"
            " selected ones do."
        ),
    ] = None


class WorkloadAffinity(Object):
    """Workloads that run on the same clusters, or share none."""

    spec: Annotated[
        WorkloadAffinitySpec, Field(description="The workloads, and whether they run together or apart.")
    ]


class Branch(Api):
    """A group of clusters in hierarchical weights."""

    weight: Annotated[
        Weight | None,
        Field(description="Weight against its siblings; left out: 1 where no sibling has one, else 0."),
    ] = None
    inside: Annotated[
        Mapping[str, "Branch"], Field(description="Groups of the next field inside this one, by name.")
    ] = Field(default_factory=dict)


class HierarchicalWeightsSpec(SelectingSpec):
    """The weights by which groups of clusters are divided, depth by depth."""

    by: Annotated[
        tuple[GroupField, ...],
        Field(
            description="Fields from the widest to the narrowest, such as [region, zone, cluster]; cluster is"
            " the last one, named or not."
        ),
    ]
    weights: Annotated[Mapping[str, Branch], Field(description="Groups of the first field, by name.")] = (
        Field(default_factory=dict)
    )


class HierarchicalWeights(Object):
    """Weights of regions, inside them of zones, inside them of clusters; replaces the policy's weights."""

    spec: Annotated[
        HierarchicalWeightsSpec,
        Field(description="The workloads, and the weights by which they are divided."),
    ]


class ClusterBudget(Api):
    """How many replicas may leave a set of clusters, or arrive there."""

    target_cluster: Annotated[ClusterSet, Field(description="The clusters; left out: every cluster.")] = (
        Field(default_factory=ClusterSet)
    )
    replicas: Annotated[
        Amount,
        Field(
            description="So many in the set together: a number, or a percentage of what the selected"
            ' workloads run there now, such as "10%", rounded down.'
        ),
    ]


class MoveBudgetSpec(SelectingSpec):
    """How many replicas of the selected workloads may move; all fields apply."""

    total: Annotated[
        Amount | None,
        Field(
            description="Of all selected workloads together: a number, or a percentage of the replicas that"
            ' run now, such as "10%", rounded down.'
        ),
    ] = None
    per_workload: Annotated[
        Amount | None, Field(description="Of each workload; a percentage is of its own replicas.")
    ] = None
    per_namespace: Annotated[
        Amount | None,
        Field(description="Of the selected workloads of each namespace; a percentage likewise."),
    ] = None
    leaving: Annotated[
        tuple[ClusterBudget, ...],
        Field(description="Replicas that stop on a set of clusters, also those that need not be replaced."),
    ] = ()
    arriving: Annotated[
        tuple[ClusterBudget, ...],
        Field(description="Replicas that start on a set of clusters, also those of new workloads."),
    ] = ()


class MoveBudget(Object):
    """How many replicas may move away from where they run now."""

    spec: Annotated[
        MoveBudgetSpec, Field(description="The workloads, and how many of their replicas may move.")
    ]


class FailureRate(Api):
    """How often a group of clusters is down."""

    field: GroupField
    names: Annotated[
        tuple[Filled, ...],
        Field(description="The groups, such as eu-west; empty means every one that no other entry names."),
    ] = ()
    rate: Annotated[
        Rate, Field(description='The chance that such a group is lost at a given moment, such as "0.1%".')
    ]


class FailureRatesSpec(Api):
    """How often clusters are down; groups fail independently of each other."""

    rates: Annotated[
        tuple[FailureRate, ...], Field(description="The groups, each with its probability of being down.")
    ]


class FailureRates(Object):
    """How often regions, zones, providers or clusters are down: answers report the expected loss."""

    spec: Annotated[FailureRatesSpec, Field(description="How often groups of clusters are down.")]


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
