"""Names for packages that bring rules, levels and kinds of their own; see docs/extensions.md."""

from fairlead.manifests.api.meta import Count, Filled, Text
from fairlead.manifests.api.own_values import Percent, SelectingSpec
from fairlead.manifests.extensions import Extension, RuleManifest
from fairlead.models.cluster import Cluster, groups
from fairlead.models.data import WorkloadData as Workload
from fairlead.models.levels import Level
from fairlead.models.requirement import Among, Binds, Everywhere, Kind, Requirement, Scope, Side
from fairlead.models.rules.custom import CHANGE, CustomClusterCost, CustomCost, CustomRule, Formulas
from fairlead.models.rules.numbered import Number
from fairlead.models.source import Source

__all__ = [
    "CHANGE",
    "Among",
    "Binds",
    "Cluster",
    "Count",
    "CustomClusterCost",
    "CustomCost",
    "CustomRule",
    "Everywhere",
    "Extension",
    "Filled",
    "Formulas",
    "Kind",
    "Level",
    "Number",
    "Percent",
    "Requirement",
    "RuleManifest",
    "Scope",
    "SelectingSpec",
    "Side",
    "Source",
    "Text",
    "Workload",
    "groups",
]
