"""Move price: a replica moves only where the ratio gains at least so much by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from fairlead.models.levels import Deviation
from fairlead.models.rules import weights
from fairlead.models.rules.moves import Moves
from fairlead.models.rules.moves import cost as moves_of
from fairlead.models.rules.weights import Weights

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

KIND = "move-price"


@dataclass(frozen=True, slots=True)
class MovePrice:
    """Every move counts like so much deviation, on one level with it.

    A move that lowers the deviation by less than the price is not worth it and is left out: this keeps a
    placement from swinging to and fro (hysteresis).
    """

    price: Fraction
    """Deviation that one move has to gain, at least 0."""
    present: frozenset[str]


def cost(rule: MovePrice, workload: Workload, placed: Mapping[str, int], deviation: Deviation) -> Fraction:
    """Return deviation plus price times moves, exactly."""
    ratio = workload.rule(Weights)
    away = weights.cost(ratio, workload, placed, deviation) if ratio is not None else Fraction(0)
    return away + rule.price * moves_of(Moves(rule.present), workload, placed)
