"""One placement rule a file: its data and its meaning.

Every module holds a frozen dataclass (the rule) and pure functions: ``violations`` for what must hold and
``cost`` for what is minimised. The encoder of the same rule is the module of the same name in
`fairlead.encoders`; the two share no code.
"""

from fairlead.models.rules.aggregated import Aggregated
from fairlead.models.rules.bounds import Bounds
from fairlead.models.rules.candidates import Candidates
from fairlead.models.rules.capacity import Capacity
from fairlead.models.rules.companionship import Companionship
from fairlead.models.rules.copies import Copies
from fairlead.models.rules.duplicated import Duplicated
from fairlead.models.rules.evenness import Evenness
from fairlead.models.rules.group_total import GroupTotal
from fairlead.models.rules.move_budget import MoveBudget
from fairlead.models.rules.move_price import MovePrice
from fairlead.models.rules.moves import Moves
from fairlead.models.rules.price import Price
from fairlead.models.rules.quota import Quota
from fairlead.models.rules.shares import Shares
from fairlead.models.rules.spread import Spread
from fairlead.models.rules.survival import Survival
from fairlead.models.rules.tiers import Tiers
from fairlead.models.rules.total import Total
from fairlead.models.rules.weights import Weights

WorkloadRule = (
    Candidates
    | Total
    | Duplicated
    | Bounds
    | GroupTotal
    | Spread
    | Survival
    | Moves
    | Tiers
    | Copies
    | Aggregated
    | Price
    | Shares
    | MovePrice
    | Weights
    | Evenness
)
"""Rules of one workload; closed: checker, scorer and encoder know every member."""

SharedRule = Capacity | Companionship | MoveBudget | Quota
"""Rules that several workloads share; closed as well."""

Rule = WorkloadRule | SharedRule

__all__ = [
    "Aggregated",
    "Bounds",
    "Candidates",
    "Capacity",
    "Companionship",
    "Copies",
    "Duplicated",
    "Evenness",
    "GroupTotal",
    "MoveBudget",
    "MovePrice",
    "Moves",
    "Price",
    "Quota",
    "Rule",
    "SharedRule",
    "Shares",
    "Spread",
    "Survival",
    "Tiers",
    "Total",
    "Weights",
    "WorkloadRule",
]
