"""Kubernetes quantities, such as ``250m`` of cpu and ``1.5Gi`` of memory, exactly; shares of replicas."""

import math
import re
from collections.abc import Iterable
from fractions import Fraction

CPU = "cpu"

_QUANTITY = re.compile(
    r"(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))"
    r"(?:(?P<suffix>[numkMGTPE]|[KMGTPE]i)|[eE](?P<exponent>[+-]?[0-9]+))?"
)

_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}

# Far beyond any resource; it keeps 1e999999999 from being written out.
_LONGEST = 100

# Less of a unit than this is said in the next smaller one.
_LEAST = Fraction(1, 10)

_ALLOWED = (
    "allowed are a number such as 2, 0.5 or 1e3, "
    "or one with a suffix: n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi or Ei"
)


def parse_quantity(text: str | float) -> Fraction:
    """Return the exact value of a quantity.

    `text`: a quantity as written, or a number. A float stands for its shortest decimal, as when Kubernetes
    writes it: 0.1 is one tenth.

    In base units: cores of cpu, bytes of memory, pods. Kubernetes itself rounds up what is finer than one
    billionth, and cuts binary quantities at 2^63 - 1; here nothing is lost.

    Raises `ValueError` where the text is no quantity; says what is allowed.
    """
    if isinstance(text, bool) or (isinstance(text, int) and abs(text) >= 10**_LONGEST):
        raise ValueError(f"is not a quantity; {_ALLOWED}")
    written = str(text)
    match = _QUANTITY.fullmatch(written)
    if match is None or len(written) > _LONGEST:
        raise ValueError(f"is not a quantity; {_ALLOWED}")
    number = Fraction(match["number"])
    suffix, exponent = match["suffix"], match["exponent"]
    if suffix in _BINARY:
        return number * (1 << _BINARY[suffix])
    power = _DECIMAL[suffix] if suffix else int(exponent or 0)
    if abs(power) > _LONGEST:
        raise ValueError(f"has an exponent beyond {_LONGEST}; {_ALLOWED}")
    scale: int = 10 ** abs(power)
    return number * scale if power >= 0 else number / scale


def requested_units(resource: str, quantity: str | float | Fraction) -> int:
    """Return a request in whole units, rounded up as Kubernetes does.

    Millicores of cpu; bytes, pods or devices of every other resource.
    """
    numerator, denominator = _units(resource, quantity)
    return -(-numerator // denominator)


def available_units(resource: str, quantity: str | float | Fraction) -> int:
    """Return an available quantity in whole units, rounded down: nobody can use a part of a unit.

    Millicores of cpu; bytes, pods or devices of every other resource. Negative where more is used than there
    is; then rounded away from zero.
    """
    numerator, denominator = _units(resource, quantity)
    return numerator // denominator


def _units(resource: str, quantity: str | float | Fraction) -> tuple[int, int]:
    """Return numerator and denominator, which may have factors in common: reducing them costs time."""
    value = quantity if isinstance(quantity, Fraction) else parse_quantity(quantity)
    return value.numerator * (1000 if resource == CPU else 1), value.denominator


def format_quantity(value: Fraction | int, *, binary: bool) -> str:
    """Return a value as a quantity that people read, and that `parse_quantity` reads back.

    Parameters
    ----------
    value
        In base units. What is finer than one billionth is rounded to the nearest billionth.
    binary
        Whether to count in Ki, Mi, Gi ..., as is usual for bytes: the largest unit that needs at most three
        decimals. Otherwise whole numbers stand as they are, and parts are counted in m, u or n.

    Examples
    --------
    >>> format_quantity(Fraction(3, 2), binary=False), format_quantity(3 * 2**29, binary=True)
    ('1500m', '1.5Gi')
    """
    exact = Fraction(value)
    if exact.denominator == 1:
        return _format_binary(exact) if binary else str(exact.numerator)
    for suffix, scale in (("m", 10**3), ("u", 10**6)):
        if (exact * scale).denominator == 1:
            return f"{exact * scale}{suffix}"
    billionths = round(exact * 10**9)
    if billionths % 10**3:
        return f"{billionths}n"
    return format_quantity(Fraction(billionths, 10**9), binary=binary)


def _format_binary(value: Fraction) -> str:
    for suffix in reversed(_BINARY):
        scaled = value / (1 << _BINARY[suffix])
        thousandths = scaled * 1000
        if abs(scaled) >= 1 and thousandths.denominator == 1:
            return f"{_decimals(scaled)}{suffix}"
    return str(value.numerator)


def format_units(resource: str, units: int) -> str:
    """Return an amount of a resource, in the units of `requested_units`, as people read it.

    >>> format_units("cpu", 1500), format_units("memory", 2**30), format_units("pods", 110)
    ('1500m', '1Gi', '110')
    """
    value = Fraction(units, 1000) if resource == CPU else Fraction(units)
    return format_quantity(value, binary=counts_bytes(resource))


def format_alike(resource: str, *amounts: int) -> tuple[str, ...]:
    """Return several amounts of a resource in one unit, so that they can be compared at a glance.

    The unit is the largest in which all of them need at most three decimals; parts of a single core are
    counted in millicores.

    >>> format_alike("cpu", 60_000, 132_750), format_alike("memory", 2**30, 3 * 2**29)
    (('60', '132.75'), ('1Gi', '1.5Gi'))
    >>> format_alike("cpu", 600, 500)
    ('600m', '500m')
    """
    if resource == CPU and all(abs(amount) < 1000 for amount in amounts):
        return tuple(f"{amount}m" if amount else "0" for amount in amounts)
    if resource == CPU:
        return tuple(_decimals(Fraction(amount, 1000)) for amount in amounts)
    if not counts_bytes(resource):
        return tuple(str(amount) for amount in amounts)
    for suffix in reversed(_BINARY):
        scaled = [Fraction(amount, 1 << _BINARY[suffix]) for amount in amounts]
        if all((each * 1000).denominator == 1 and (not each or abs(each) >= _LEAST) for each in scaled):
            return tuple(f"{_decimals(each)}{suffix}" if each else "0" for each in scaled)
    return tuple(str(amount) for amount in amounts)


SHORT = 6
"""Characters up to which an exact amount is short."""


def short_amount(resource: str, units: int) -> str:
    """Return an amount with at most one decimal, rounded down: never more than there is.

    `units`: millicores of cpu, whole units of anything else; at least 0.

    Examples
    --------
    >>> short_amount("cpu", 3560), short_amount("cpu", 200), short_amount("memory", 12_884_901_000)
    ('3.5', '200m', '11.9Gi')
    """
    if resource == CPU:
        return _tenths(units, 1000) if units >= 1000 else f"{units}m" if units else "0"
    exact = format_units(resource, units)
    if len(exact) <= SHORT or not counts_bytes(resource):
        return exact
    # So many digits fill a unit.
    suffix, power = next((suffix, power) for suffix, power in reversed(_BINARY.items()) if units >> power)
    return f"{_tenths(units, 1 << power)}{suffix}"


def _tenths(units: int, size: int) -> str:
    """Return units / size with at most one decimal, rounded down."""
    whole, part = divmod(10 * units // size, 10)
    return f"{whole}.{part}" if part else str(whole)


def _decimals(value: Fraction) -> str:
    """Return a number that has at most three decimals."""
    whole, part = divmod(abs(value.numerator) * 1000 // value.denominator, 1000)
    decimals = f".{part:03d}".rstrip("0") if part else ""
    return f"{'-' if value < 0 else ''}{whole}{decimals}"


def counts_bytes(resource: str) -> bool:
    """Tell whether a resource is counted in bytes; the name of a quota or of a device may stand before it."""
    name = resource.removeprefix("requests.").removeprefix("limits.")
    return name in ("memory", "storage", "ephemeral-storage") or name.startswith("hugepages-")


def summed(parts: Iterable[Fraction | int]) -> Fraction:
    """Return the sum of exact numbers."""
    return Fraction(*sum_of_ratios([part.as_integer_ratio() for part in parts]))


def sum_of_ratios(parts: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Add numerators over denominators pairwise, so that these stay small for long; not reduced."""
    row = list(parts)
    while len(row) > 1:
        pairs = zip(row[::2], row[1::2], strict=False)
        row = [_add(*left, *right) for left, right in pairs] + row[len(row) - len(row) % 2 :]
    return row[0] if row else (0, 1)


def _add(a: int, b: int, c: int, d: int) -> tuple[int, int]:
    """Return a/b + c/d over the least common denominator."""
    common = math.lcm(b, d)
    return a * (common // b) + c * (common // d), common


Amount = int | str
"""A number of replicas, or a share of them such as ``25%``."""

NO_AMOUNT = "is neither a number of replicas nor a share such as 10%"
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
