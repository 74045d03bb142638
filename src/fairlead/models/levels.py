"""The levels of the objective: what is minimised first, second, third, and how far each may be from best."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from fairlead.models.data import WorkloadData
from fairlead.models.errors import UsageError
from fairlead.models.words import no_such, shown


class Deviation(StrEnum):
    """Measure of the distance of a division from the wanted ratio.

    With quota ``q = N w / W`` (exact share of N replicas for weight w of W in total) and replicas x:
    ``webster`` is the sum of (x - q)^2 / q, ``l1`` the sum of abs(x - q), ``minimax`` the greatest
    abs(x - q) / q.
    """

    WEBSTER = "webster"
    L1 = "l1"
    MINIMAX = "minimax"


@dataclass(frozen=True, slots=True, order=True)
class Level:
    """One lexicographic objective; always minimised."""

    key: str
    """Short name of the objective, such as ``deviation`` or ``balance``, by which `DEFAULT_ORDER` sorts
    levels."""
    number: int = 0
    """Counts levels of one key, such as tiers, from 1; 0 where there is one only."""
    priority: int = 0
    """Scheduling priority of the workloads that the level is about: each priority has levels of its own, the
    higher first. 0 also where all priorities together are meant."""
    title: str = field(default="", compare=False)
    """Name for people of a level that a package outside of fairlead brings. Left out of comparisons, like
    what follows."""
    before: str = field(default="deviation", compare=False)
    """Key of the level before which such a level counts unless a problem says otherwise."""
    steps: int = field(default=1, compare=False)
    """Number of steps that costs of such a level have in one unit."""

    @property
    def name(self) -> str:
        """Return the name that people read, such as ``beyond tier 2``."""
        name = NAMES.get(self.key) or self.title
        return f"{name} {self.number}" if self.number else name

    @property
    def base(self) -> Level:
        """Return the level without its priority: what it is about."""
        return self if not self.priority else replace(self, priority=0)


MADE_WORSE = Level("made-worse")
MOVES_UNCHANGED = Level("moves-unchanged")
MINIMA = Level("minima")
MOVES_FIRST = Level("moves-first")
COPIES = Level("copies")
ROOM = Level("room")
CLUSTERS = Level("clusters")
COST = Level("cost")
EMISSIONS = Level("emissions")
EVENNESS_FRESH = Level("evenness-fresh")
NET = Level("net")
DEVIATION = Level("deviation")
EVENNESS = Level("evenness")
EVENNESS_RESULT = Level("evenness-result")
BALANCE = Level("balance")
DYNAMIC_DEVIATION = Level("dynamic-deviation")
MOVES_LAST = Level("moves-last")


PRICED = frozenset({COST, EMISSIONS})
"""Levels on which prices count."""


def tier(number: int) -> Level:
    """Return the level of the replicas beyond a tier, counted from 1."""
    return Level("tiers", number)


def share(number: int) -> Level:
    """Return the level of the deviation of a depth of hierarchical weights, the outermost is 1."""
    return Level("shares", number)


NAMES = {
    "made-worse": "made worse",
    "spread-shortfall": "spread shortfall",
    "minima-shortfall": "minima shortfall",
    "unplaced": "unplaced",
    "moves-unchanged": "moves before tiers",  # replicas unchanged and steady: nothing goes to an earlier tier
    "minima": "minima",  # KubeAdmiral: clusters with a minimum are selected first
    "tiers": "beyond tier",
    "moves-first": "moves",  # workloads that keep what runs
    "copies": "missing copies",
    "room": "room",
    "clusters": "clusters",
    "cost": "cost",
    "emissions": "emissions",
    "evenness-fresh": "evenness of the result",
    "shares": "deviation of depth",
    "net": "deviation and price of moves",  # a plan with a price per move: what a move has to gain
    "deviation": "deviation",
    "evenness": "evenness",
    "evenness-result": "evenness of the result",
    "balance": "balance",  # workloads that are placed together fill clusters together
    "dynamic-deviation": "deviation from dynamic weights",  # of those; that of all others counts above
    "moves-last": "other moves",
}
"""Names of the levels by key, the most important first."""

DEVIATIONS = frozenset({DEVIATION, DYNAMIC_DEVIATION})
"""Levels that measure the distance from the wanted ratio."""

ALL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "moves": ("moves-unchanged", "moves-first", "moves-last"),
        "deviation": ("deviation", "dynamic-deviation"),
    }
)
"""Names that stand for several levels together."""

MOVES = frozenset(ALL["moves"])
"""Keys of the levels that count moves."""

SHORTFALLS: tuple[str, ...] = ("spread-shortfall", "minima-shortfall", "unplaced")
"""Keys of what gives way in a partial placement, what gives way last comes first; before all other levels."""

DEFAULT_ORDER: tuple[str, ...] = tuple(key for key in NAMES if key not in (MADE_WORSE.key, *SHORTFALLS))
"""The order of the levels by key, the most important first; a profile may give another."""


def order_with(order: tuple[str, ...], levels: Iterable[Level]) -> tuple[str, ...]:
    """Return keys of levels in order, with those of other levels put in that are not there.

    Each comes right before the level that it names, or last where that one is not there; of several before
    one level the first key by name comes first.
    """
    missing = {level.key: level for level in levels if level.key not in order}
    keys = list(order)
    for key in sorted(missing):
        before = missing[key].before
        keys.insert(keys.index(before) if before in keys else len(keys), key)
    return tuple(keys)


MOST_TOLERANCE = 10**18
_NUMBER = re.compile(r"(\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(%?)")


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Amount by which a level may be worse than best."""

    amount: Fraction
    """At least 0: in the unit of the level, or as a share."""
    relative: bool = False
    """True where it is a share of the least that the level can be as far as single workloads and what they
    can hold tell; False where it is an amount."""

    def of(self, bound: int | Fraction) -> Fraction:
        """Return the tolerance in the unit of the level, above a bound."""
        return self.amount * Fraction(bound) if self.relative else self.amount


def tolerance_of(value: object) -> Tolerance | None:
    """Return the tolerance that a number or a text such as ``0.5`` or ``0.1%`` states; None for any other."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        return None
    if not isinstance(value, str):
        # Of a number with a point what is written counts, not what it is rounded to.
        written = str(value) if isinstance(value, float) else value
        return Tolerance(Fraction(written)) if 0 <= value < MOST_TOLERANCE else None
    found = _NUMBER.fullmatch(value.strip())
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

    A level that is named alone counts before those that stand for several, such as ``moves``.

    Raises `UsageError` where there is no such level or no such tolerance, or a level is named twice; names
    every mistake.
    """
    if not isinstance(given, Mapping):
        raise UsageError(f"tolerances {shown(given)}; allowed is a mapping such as {{'deviation': '0.1%'}}")
    found: dict[str, Tolerance] = {}
    alone: dict[str, Tolerance] = {}
    wrong: list[str] = []
    for name, value in given.items():
        keys, tolerance = keys_of(name), tolerance_of(value)
        if not keys:
            known = dict.fromkeys((*ALL, *(NAMES[key] for key in DEFAULT_ORDER)))
            wrong.append(no_such("level", name, known, shown=len(known)))
        elif tolerance is None:
            wrong.append(
                f"tolerance of {name}: {shown(value)} is neither a number of at least 0 nor a share"
                " such as 0.1%, of 18 digits at most"
            )
        elif len(keys) > 1:
            found |= dict.fromkeys(keys, tolerance)
        elif alone.keys() & keys:
            wrong.append(f"tolerance of {name}: the level is named twice")
        else:
            alone |= dict.fromkeys(keys, tolerance)
    if wrong:
        raise UsageError("; ".join(wrong))
    return found | alone


class Measured(NamedTuple):
    """Arguments of the cost of a preference: one workload, its placement, the level, the measure."""

    workload: WorkloadData
    placed: Mapping[str, int]
    """Replicas of the workload by cluster."""
    level: Level
    """The level, of all priorities."""
    deviation: Deviation
    """The measure of the distance from the wanted ratio."""
