"""Numbers of replicas, given as such or as a share of what is wanted."""

import re

Amount = int | str
"""A number of replicas, or a share of them such as ``25%``."""

_PERCENT = re.compile(r"[0-9]{1,18}%")

MOST_COUNTED = 10**300
"""No number of replicas is larger, wanted or placed: Python writes and divides only numbers of some size."""


def is_amount(amount: object) -> bool:
    """Tell whether an amount can be understood."""
    if isinstance(amount, str):
        return _PERCENT.fullmatch(amount) is not None
    return isinstance(amount, int) and not isinstance(amount, bool) and 0 <= amount <= MOST_COUNTED


def percentage(amount: Amount) -> str | None:
    """Return an amount that is a share; None where it is a number."""
    return amount if isinstance(amount, str) else None


def share_of(amount: Amount, wanted: int, *, up: bool = False) -> int:
    """Return an amount as a number of replicas."""
    if isinstance(amount, int):
        return amount
    hundredths = int(amount.removesuffix("%")) * wanted
    return -(-hundredths // 100) if up else hundredths // 100
