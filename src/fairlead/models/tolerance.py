"""Tolerances: how much worse than best a level may be for the sake of those below it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from fairlead.models.errors import UsageError
from fairlead.models.levels import ALL, DEFAULT_ORDER, NAMES

_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(%?)")


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much worse than best a level may be.

    Parameters
    ----------
    amount
        At least 0: in the unit of the level, or as a share.
    relative
        True where it is a share of the least that the level can be as far as single workloads and what they
        can hold tell; False where it is an amount.
    """

    amount: Fraction
    relative: bool = False

    def of(self, bound: int | Fraction) -> Fraction:
        """Return the tolerance in the unit of the level, above a bound."""
        return self.amount * Fraction(bound) if self.relative else self.amount


def tolerance_of(value: object) -> Tolerance | None:
    """Return what a number or a text such as ``0.5`` or ``0.1%`` says; None where it is neither."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        return None
    if isinstance(value, Fraction):
        return Tolerance(value) if value >= 0 else None
    found = _NUMBER.fullmatch(str(value).strip())
    if found is None:
        return None
    number, percent = found.groups()
    amount = Fraction(number)
    return Tolerance(amount / 100, relative=True) if percent else Tolerance(amount)


def keys_of(level: str) -> tuple[str, ...]:
    """Return the keys of the levels that a key or a name stands for; none where it stands for nothing."""
    return ALL.get(level) or tuple(key for key in DEFAULT_ORDER if level in (key, NAMES[key]))


def tolerances_of(given: Mapping[str, object]) -> dict[str, Tolerance]:
    """Return tolerances by key of level, of names or keys with numbers or texts.

    Raises
    ------
    UsageError
        Where there is no such level, or no such tolerance; names every mistake.
    """
    found: dict[str, Tolerance] = {}
    wrong: list[str] = []
    for name, value in given.items():
        keys, tolerance = keys_of(name), tolerance_of(value)
        if not keys:
            known = dict.fromkeys((*ALL, *(NAMES[key] for key in DEFAULT_ORDER)))
            wrong.append(f"no level {name!r}; known: {', '.join(known)}")
        elif tolerance is None:
            wrong.append(
                f"tolerance of {name}: {value!r} is neither a number of at least 0 nor a share such as 0.1%"
            )
        else:
            found |= dict.fromkeys(keys, tolerance)
    if wrong:
        raise UsageError("; ".join(wrong))
    return found
