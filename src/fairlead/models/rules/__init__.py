"""One placement rule a file: its data and its meaning.

Every module holds a frozen dataclass (the rule) and pure functions: ``requirements`` for what must hold,
``violations`` where several workloads share it, and ``cost`` for what is minimised. The encoder of the same
rule is the module of the same name in `fairlead.encoders`; the two share no code.
"""

from fairlead.models.rules.aggregated import Aggregated
from fairlead.models.rules.bounds import Bounds
from fairlead.models.rules.candidates import Candidates
from fairlead.models.rules.capacity import Capacity
from fairlead.models.rules.companionship import Companionship
from fairlead.models.rules.copies import Copies
from fairlead.models.rules.custom import CustomCost, CustomRule
from fairlead.models.rules.duplicated import Duplicated
from fairlead.models.rules.evenness import Evenness
from fairlead.models.rules.group_total import GroupTotal
from fairlead.models.rules.move_budget import MoveBudget
from fairlead.models.rules.move_price import MovePrice
from fairlead.models.rules.moves import Moves
from fairlead.models.rules.numbered import Grouped, Numbered
from fairlead.models.rules.price import Price
from fairlead.models.rules.quota import Quota
from fairlead.models.rules.shares import Shares
from fairlead.models.rules.skew import Skew
from fairlead.models.rules.spread import Spread
from fairlead.models.rules.survival import Survival
from fairlead.models.rules.tiers import Tiers
from fairlead.models.rules.total import Total
from fairlead.models.rules.weights import Weights

GroupedRule = Spread | Survival | Skew | CustomRule
"""Rules of one workload about the groups of a field; all but their encoders know them as `Grouped` only."""

BindingRule = Candidates | Total | Duplicated | Bounds | GroupTotal | GroupedRule
"""Rules of one workload that must hold; closed: checker and encoder know every member."""

Preference = (
    Moves | Tiers | Copies | Aggregated | Price | Shares | MovePrice | Weights | Evenness | CustomCost
)
"""Rules of one workload that say what is better; closed: scorer and encoder know every member."""

WorkloadRule = BindingRule | Preference
"""Rules of one workload. `Bounds` may say what is better as well (`Bounds.preferred`)."""

SharedRule = Capacity | Companionship | MoveBudget | Quota
"""Rules that several workloads share; closed as well."""

Rule = WorkloadRule | SharedRule

__all__ = [
    "Aggregated",
    "BindingRule",
    "Bounds",
    "Candidates",
    "Capacity",
    "Companionship",
    "Copies",
    "CustomCost",
    "CustomRule",
    "Duplicated",
    "Evenness",
    "GroupTotal",
    "Grouped",
    "GroupedRule",
    "MoveBudget",
    "MovePrice",
    "Moves",
    "Numbered",
    "Preference",
    "Price",
    "Quota",
    "Rule",
    "SharedRule",
    "Shares",
    "Skew",
    "Spread",
    "Survival",
    "Tiers",
    "Total",
    "Weights",
    "WorkloadRule",
]
