"""What columns are asked for while moves are made one after another, each judged as things stand then."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.solver.batch.relaxation import Floats, Model, Prices


@dataclass(frozen=True, slots=True, eq=False)
class Charges:
    """Limits as a table of clusters and resources, with what one unit beyond them is charged.

    Parameters
    ----------
    limit, charge
        By column and resource; no limit is infinite.
    pins, pin_charge
        By pinned level.
    """

    limit: Floats
    charge: Floats
    pins: Floats
    pin_charge: Floats

    @classmethod
    def of(cls, model: Model, prices: Prices, factor: float) -> "Charges":
        """Charge a multiple of the prices, and more than nothing for what has no price."""
        batch = model.batch
        shape = (len(batch.clusters), batch.needs.shape[1])
        limit, charge = np.full(shape, np.inf), np.zeros(shape)
        at = (batch.coupling.column, batch.coupling.resource)
        limit[at] = batch.coupling.limit
        # What one replica more would cost on average where nothing tells a price.
        typical = model.unit / np.maximum(1.0, batch.needs.astype(np.float64).mean(axis=0))
        charge[at] = factor * np.maximum(prices.capacity, typical[batch.coupling.resource])
        pins = np.array(model.pins, dtype=np.float64)
        return cls(limit, charge, pins, factor * np.maximum(prices.pins, 1.0))


@dataclass(slots=True, eq=False)
class Tally:
    """Usage of columns and pinned levels in plain numbers.

    Parameters
    ----------
    used
        By column and resource.
    bounds
        By column: resource, limit and charge of what is limited.
    pinned
        By pinned level: what it costs, what it may cost, and the charge.
    """

    used: list[list[float]]
    bounds: list[list[tuple[int, float, float]]]
    pinned: list[list[float]]

    @classmethod
    def of(cls, charges: Charges, usage: Floats, pinned: Floats) -> "Tally":
        """Start from the usage of a placement."""
        bounds = [
            [
                (resource, limit, charge)
                for resource, (limit, charge) in enumerate(zip(limits, dear, strict=True))
                if limit != float("inf")
            ]
            for limits, dear in zip(charges.limit.tolist(), charges.charge.tolist(), strict=True)
        ]
        pins = [
            list(each)
            for each in zip(pinned.tolist(), charges.pins.tolist(), charges.pin_charge.tolist(), strict=True)
        ]
        return cls(usage.tolist(), bounds, pins)

    def change(self, column: int, more: Sequence[float]) -> float:
        """Return what using more of a column, or less of it, does to the charges."""
        total = 0.0
        used = self.used[column]
        for resource, limit, charge in self.bounds[column]:
            over = used[resource] - limit
            after = over + more[resource]
            if over > 0 or after > 0:
                total += charge * ((after if after > 0 else 0.0) - (over if over > 0 else 0.0))
        return total

    def change_of_pins(self, more: Sequence[float]) -> float:
        """Return what a change of the pinned levels does to the charges."""
        total = 0.0
        for (cost, pin, charge), each in zip(self.pinned, more, strict=True):
            over = cost - pin
            total += charge * (max(over + each, 0.0) - max(over, 0.0))
        return total

    def use(self, column: int, more: Sequence[float]) -> None:
        """Use more of a column, or less of it."""
        used = self.used[column]
        for resource, each in enumerate(more):
            used[resource] += each

    def use_pins(self, more: Sequence[float]) -> None:
        """Change what the pinned levels cost."""
        for pin, each in zip(self.pinned, more, strict=True):
            pin[0] += each
