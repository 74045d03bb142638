"""Prices in whole steps: multiples of the same fraction, which rank placements as the prices do."""

import math

from fairlead.models.rules import Price
from fairlead.models.workload import Workload


def whole_prices(workload: Workload, dearest: int | None = None) -> dict[str, int] | None:
    """Return what a replica of a workload costs by cluster, in whole steps; absent means free of charge.

    Parameters
    ----------
    workload
        The workload.
    dearest
        The most that a price may be in steps; None means no limit.

    Returns
    -------
    dict or None
        None where a price is more than the dearest.
    """
    rule = workload.rule(Price)
    prices = rule.prices if rule else {}
    steps = math.lcm(*(price.denominator for price in prices.values()))
    whole = {name: int(price * steps) for name, price in prices.items()}
    if dearest is not None and any(abs(price) > dearest for price in whole.values()):
        return None
    return whole
