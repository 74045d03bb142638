"""Quantities: Kubernetes' grammar, exact values, whole units, and text for people."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.models.quantity import (
    available_units,
    format_quantity,
    format_units,
    parse_quantity,
    requested_units,
)

# Multiples of one billionth: the finest that Kubernetes keeps.
quantities = st.integers(-(10**24), 10**24).map(lambda billionths: Fraction(billionths, 10**9))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", Fraction(0)),
        ("250m", Fraction(1, 4)),
        ("2", Fraction(2)),
        ("+2", Fraction(2)),
        ("-1.5", Fraction(-3, 2)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        ("0.1", Fraction(1, 10)),
        ("100n", Fraction(1, 10**7)),
        ("3u", Fraction(3, 10**6)),
        ("1k", Fraction(1000)),
        ("1M", Fraction(10**6)),
        ("1G", Fraction(10**9)),
        ("1T", Fraction(10**12)),
        ("1P", Fraction(10**15)),
        ("1E", Fraction(10**18)),
        ("1Ki", Fraction(2**10)),
        ("128Mi", Fraction(2**27)),
        ("1.5Gi", Fraction(3 * 2**29)),
        ("1Ti", Fraction(2**40)),
        ("1Pi", Fraction(2**50)),
        ("8Ei", Fraction(2**63)),
        ("1e3", Fraction(1000)),
        ("1E3", Fraction(1000)),
        ("12e-1", Fraction(6, 5)),
        ("1.2E+2", Fraction(120)),
        ("9007199254740993", Fraction(2**53 + 1)),
        (4, Fraction(4)),
        (0.1, Fraction(1, 10)),
        (1e30, Fraction(10**30)),
    ],
)
def test_quantities_are_exact(text: str | float, value: Fraction) -> None:
    """Every form of the grammar has the value that it says, to the last digit."""
    assert parse_quantity(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        " 1",
        "1 ",
        "1\n",
        "m",
        "-",
        ".",
        "1i",
        "1K",
        "1ki",
        "1mi",
        "0.1mi",
        "1.1.M",
        "1+1.0M",
        "1e",
        "-3.01e-",
        "1e1.5",
        "1_000",
        "0x10",
        "1Gib",
        "1 Gi",
        "\u0661",
        "inf",
        "nan",
        "1e101",
        "1e999999999",
        "9" * 101,
    ],
)
def test_what_is_no_quantity_is_refused_in_words(text: str) -> None:
    """A refusal says what is allowed, also for exponents that would take forever to write out."""
    with pytest.raises(ValueError, match="allowed are a number such as"):
        parse_quantity(text)


@pytest.mark.parametrize("number", [True, float("inf"), float("nan")])
def test_numbers_that_are_no_quantity_are_refused(number: float) -> None:
    """YAML's true is not 1 core; infinity is no amount."""
    with pytest.raises(ValueError, match="is not a quantity"):
        parse_quantity(number)


@given(quantities, st.booleans())
def test_what_is_formatted_reads_back_exactly(value: Fraction, binary: bool) -> None:
    """No digit is lost on the way to people and back."""
    assert parse_quantity(format_quantity(value, binary=binary)) == value


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=6))
def test_decimals_read_as_fractions(number: object) -> None:
    """A decimal means the same to a quantity and to a fraction."""
    assert parse_quantity(f"{number:f}") == Fraction(str(number))


@given(quantities)
def test_whole_units_enclose_the_value(value: Fraction) -> None:
    """Requests round up and what is available rounds down, each by less than one unit."""
    for resource, scale in (("cpu", 1000), ("memory", 1)):
        exact = value * scale
        assert exact <= requested_units(resource, value) < exact + 1
        assert exact - 1 < available_units(resource, value) <= exact


@pytest.mark.parametrize(
    ("resource", "quantity", "requested", "available"),
    [
        ("cpu", "1500m", 1500, 1500),
        ("cpu", "2", 2000, 2000),
        # A tenth of a millicore still takes one, and does not give one.
        ("cpu", "100u", 1, 0),
        ("cpu", 0.25, 250, 250),
        ("memory", "64Mi", 2**26, 2**26),
        ("memory", "1500m", 2, 1),
        ("pods", 110, 110, 110),
        # Overcommitted by half a millicore: one is missing.
        ("cpu", "-500u", 0, -1),
        ("nvidia.com/gpu", "1", 1, 1),
    ],
)
def test_units_of_resources(resource: str, quantity: str | float, requested: int, available: int) -> None:
    """Cpu counts in millicores, everything else in whole units."""
    assert requested_units(resource, quantity) == requested
    assert available_units(resource, quantity) == available


@pytest.mark.parametrize(
    ("value", "binary", "text"),
    [
        (Fraction(0), True, "0"),
        (Fraction(3, 2), False, "1500m"),
        (Fraction(8), False, "8"),
        (Fraction(1, 10**4), False, "100u"),
        (Fraction(1, 10**8), False, "10n"),
        (Fraction(3 * 2**29), True, "1.5Gi"),
        (Fraction(-(2**30)), True, "-1Gi"),
        # 1025 Mi is 1.0009765625 Gi: seven decimals too many, hence the smaller unit.
        (Fraction(1025 * 2**20), True, "1025Mi"),
        (Fraction(1000), True, "1000"),
        # 1/3 has no end; people get the nearest billionth.
        (Fraction(1, 3), False, "333333333n"),
        # The nearest billionth of 0.9999999999 is a whole one.
        (1 - Fraction(1, 10**10), False, "1"),
    ],
)
def test_text_for_people(value: Fraction, binary: bool, text: str) -> None:
    """Amounts read as kubectl users write them."""
    assert format_quantity(value, binary=binary) == text


@pytest.mark.parametrize(
    ("resource", "units", "text"),
    [
        ("cpu", 1500, "1500m"),
        ("cpu", 16000, "16"),
        ("memory", 2**30, "1Gi"),
        ("ephemeral-storage", 2**40, "1Ti"),
        ("hugepages-2Mi", 2**21, "2Mi"),
        ("requests.memory", 2**20, "1Mi"),
        ("pods", 1024, "1024"),
        ("nvidia.com/gpu", -3, "-3"),
    ],
)
def test_units_as_people_read_them(resource: str, units: int, text: str) -> None:
    """Bytes are shown in Ki, Mi, Gi; things that are counted are not."""
    assert format_units(resource, units) == text
