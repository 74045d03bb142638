"""Amounts for people: of resources, never shown as more than there is, and what happens to how many."""

from collections.abc import Iterable

from fairlead.models.cluster import CPU
from fairlead.models.quantity import format_units
from fairlead.models.words import counted

_BYTES = (("Pi", 2**50), ("Ti", 2**40), ("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10))

LONGEST = 6
"""Characters up to which an exact amount is shown as it is."""


def short_amount(resource: str, units: int) -> str:
    """Return an amount with at most one decimal, rounded down.

    `units`: millicores of cpu, whole units of anything else; at least 0.

    Examples
    --------
    >>> short_amount("cpu", 3560), short_amount("cpu", 200), short_amount("memory", 12_884_901_000)
    ('3.5', '200m', '11.9Gi')
    """
    if resource == CPU:
        return _tenths(units, 1000) if units >= 1000 else f"{units}m" if units else "0"
    exact = format_units(resource, units)
    counted_in_bytes = not format_units(resource, 2**20).isdigit()
    if len(exact) <= LONGEST or not counted_in_bytes:
        return exact
    # So many digits fill a unit.
    suffix, size = next((suffix, size) for suffix, size in _BYTES if units >= size)
    return f"{_tenths(units, size)}{suffix}"


def _tenths(units: int, size: int) -> str:
    """Return units / size with at most one decimal, rounded down."""
    whole, part = divmod(10 * units // size, 10)
    return f"{whole}.{part}" if part else str(whole)


def happening(numbers: Iterable[tuple[int, str, str]], noun: str = "") -> str:
    """Return what happens to how many, in words; empty where nothing happens.

    `numbers`: how many, and the verb for one and for several. `noun`: what stands behind the first number;
    empty where nothing does.

    Examples
    --------
    >>> happening([(3, "moves", "move"), (1, "starts", "start"), (0, "stops", "stop")], "replica")
    '3 replicas move, 1 starts'
    """
    parts = [(count, one if count == 1 else many) for count, one, many in numbers if count > 0]
    heads = [counted(count, noun) if noun and not at else str(count) for at, (count, _) in enumerate(parts)]
    return ", ".join(f"{head} {verb}" for head, (_, verb) in zip(heads, parts, strict=True))
