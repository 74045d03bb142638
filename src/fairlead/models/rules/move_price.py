"""Move price: a replica moves only where the ratio gains at least so much by it."""

from dataclasses import dataclass
from fractions import Fraction

from fairlead.models.data import WorkloadData
from fairlead.models.levels import NET, Level, Measured
from fairlead.models.mistaken import Faults, FleetClusters, PlainRepr, fractions
from fairlead.models.rules.moves import Moves
from fairlead.models.rules.weights import Weights

KIND = "move-price"


@dataclass(frozen=True, slots=True, repr=False)
class MovePrice(PlainRepr):
    """Every move counts like so much deviation, on one level with it.

    A move that lowers the deviation by less than the price is not worth it and is left out: this keeps a
    placement from swinging to and fro (hysteresis).
    """

    price: Fraction
    """Deviation that one move has to gain, at least 0."""
    present: frozenset[str]
    """Names of the clusters of the problem: what runs elsewhere has stopped already."""

    def mistakes(self, known: FleetClusters) -> Faults:
        """Yield a price that is none."""
        del known
        yield from fractions("MovePrice.price", {"": self.price})

    def levels(self, workload: WorkloadData) -> tuple[Level, ...]:
        """Return the level on which deviation and moves count together."""
        del workload
        return (NET,)

    def cost_of(self, measured: Measured) -> Fraction:
        """Return deviation plus price times moves, exactly."""
        ratio = measured.workload.rule(Weights)
        away = ratio.cost_of(measured) if ratio is not None else Fraction(0)
        return away + self.price * Moves(self.present).cost_of(measured)
