"""One placement rule a file: its data and its meaning.

Every module holds a frozen dataclass (the rule) and pure functions: ``violations`` for what must hold and
``cost`` for what is minimised. The encoder of the same rule is the module of the same name in
`fairlead.encoders`; the two share no code.
"""

from fairlead.models.rules.bounds import Bounds
from fairlead.models.rules.candidates import Candidates
from fairlead.models.rules.capacity import Capacity
from fairlead.models.rules.duplicated import Duplicated
from fairlead.models.rules.moves import Moves
from fairlead.models.rules.total import Total
from fairlead.models.rules.weights import Weights

WorkloadRule = Candidates | Total | Duplicated | Bounds | Moves | Weights
"""Rules of one workload; closed: checker, scorer and encoder know every member."""

SharedRule = Capacity
"""Rules that several workloads share; closed as well."""

Rule = WorkloadRule | SharedRule

__all__ = [
    "Bounds",
    "Candidates",
    "Capacity",
    "Duplicated",
    "Moves",
    "Rule",
    "SharedRule",
    "Total",
    "Weights",
    "WorkloadRule",
]
