"""The best set of a size, where counting clusters beside groups would make the tables large.

Every cluster that is used costs a price. The best set at a price is found without counting clusters; if
another set of the right size is worth as much there, that one is the best of its size (H. Everett, 1963). So
sets of the right size are made from the groups that the best set uses, until one is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairlead.solver.nested.joining import Flags, Merits
from fairlead.solver.nested.limits import Limits
from fairlead.solver.nested.picking import ApartError, Picked, Picker, TooLongError

MOST_PRICES = 40
STEPS = 2**16
LARGEST = 2**43
ROUNDING = 2.0**-40


class PricedPicker:
    """Picks the best set of clusters, the number of clusters by a price; see `Picker`.

    Raises
    ------
    ApartError
        At no price the best sets have the right size; of merits in floats a good set is returned.
    TooLongError
        Nothing was found at all.
    """

    def __init__(
        self, limits: Limits, open_to: Flags, required: Flags, needed: Sequence[Flags] | None = None
    ) -> None:
        self._free = Picker(replace(limits, least=1, most=None), open_to, required, needed)
        self._open = open_to
        self._required = required
        self._least = limits.least
        self._most = int(open_to.sum()) if limits.most is None else limits.most
        self._leaf = limits.wider[-1].group
        self._leaves = limits.wider[-1].groups
        self._touched: Flags | None = None

    def pick(self, merits: Merits) -> Picked | None:
        """Return a best set; None where no set keeps the limits."""
        if merits.dtype == np.int64:
            # Between whole merits there is room for prices.
            return self._finely(merits)
        return self._pick(merits)

    def _finely(self, merits: Merits) -> Picked | None:
        """Return a best set by merits in small steps."""
        kind = np.int64 if int(np.abs(merits).sum()) < LARGEST else object
        try:
            picked = self._pick(merits.astype(kind) * STEPS)
        except ApartError as apart:
            known = apart.known and Picked(apart.known.used, apart.known.value // STEPS)
            raise ApartError(apart.few, apart.many, known, apart.bound // STEPS) from None
        return picked and Picked(picked.used, picked.value // STEPS)

    def _pick(self, merits: Merits) -> Picked | None:
        """Return a best set, by prices in the steps of the merits."""
        zero = merits[:1].sum() * 0
        if self._least == self._most and self._touched is not None:
            return self._priced(merits, self._most, self._touched, (None, None))
        picked = self._free.pick(merits)
        if picked is None:
            return None
        count = int(picked.used.sum())
        if self._least <= count <= self._most:
            return picked
        # Too many clusters have to cost something, too few to earn something.
        between = (zero, None) if count > self._most else (None, zero)
        wanted = self._most if count > self._most else self._least
        return self._priced(merits, wanted, self._groups(picked.used), between)

    def _priced(self, merits: Merits, wanted: int, touched: Flags, between: tuple[Any, Any]) -> Picked | None:
        """Return the best set of a size, from the groups of a set of another size on."""
        bracket = _Bracket(*between)
        known: Picked | None = None
        for _ in range(MOST_PRICES):
            made = self._made(merits, wanted, touched)
            known = _better(known, merits, made)
            price = bracket.next_price(merits, made)
            if price is None:
                break
            picked = self._free.pick(merits - price)
            if picked is None:
                return None
            touched = self._groups(picked.used)
            known = _better(known, merits, self._made(merits, wanted, touched))
            if known is not None and _reaches(merits, known.used, price, picked.value):
                self._touched = self._groups(known.used)
                return known
            bracket.note(price, picked, wanted)
        if merits.dtype == float and known is not None:
            return known
        if bracket.few is None or bracket.many is None or merits.dtype == float:
            raise TooLongError
        raise ApartError(bracket.few, bracket.many, known, int(bracket.bound))

    def _groups(self, used: Flags) -> Flags:
        """Return the finest groups that a set uses."""
        touched = np.zeros(self._leaves, dtype=bool)
        touched[self._leaf[used]] = True
        return touched

    def _made(self, merits: Merits, wanted: int, touched: Flags) -> tuple[Flags, Any, Any] | None:
        """Return the best set of a size that uses all of some groups and no others.

        Returns as well between which merits its last cluster and the next one lie; None where there is no
        set.
        """
        inside = np.flatnonzero(touched[self._leaf] & self._open)
        order = inside[np.argsort(-merits[inside], kind="stable")]
        used = self._required & self._open
        bare = touched.copy()
        bare[self._leaf[used]] = False
        _, heads = np.unique(self._leaf[order], return_index=True)
        first = order[heads]
        used[first[bare[self._leaf[first]]]] = True
        rest = order[~used[order]]
        more = wanted - int(used.sum())
        if not 0 <= more <= len(rest):
            return None
        used[rest[:more]] = True
        return (
            used,
            merits[rest[more]] if more < len(rest) else None,
            merits[rest[more - 1]] if more else None,
        )


@dataclass(slots=True, eq=False)
class _Bracket:
    """What is known of prices: at `low` sets are too large, at `high` too small; None means not known."""

    low: Any
    high: Any
    few: Flags | None = None
    many: Flags | None = None
    bound: Any = None

    def note(self, price: Any, picked: Picked, wanted: int) -> None:
        """Take down the best set at a price."""
        reached = picked.value + price * wanted
        self.bound = reached if self.bound is None else min(self.bound, reached)
        if int(picked.used.sum()) > wanted:
            self.low, self.many = price, picked.used
        else:
            self.high, self.few = price, picked.used

    def next_price(self, merits: Merits, made: tuple[Flags, Any, Any] | None) -> Any | None:
        """Return the next price to look at; None where no other bounds the value any better."""
        if self.few is None or self.many is None:
            return _inside(None if made is None else made[1:], self.low, self.high, merits)
        return _crossing(merits, self.few, self.many, self.low, self.high)


def _better(known: Picked | None, merits: Merits, made: tuple[Flags, Any, Any] | None) -> Picked | None:
    """Return the better one of two sets of one size; None where there is neither."""
    if made is None:
        return known
    value = merits[made[0]].sum()
    return Picked(made[0], value) if known is None or value > known.value else known


def _reaches(merits: Merits, used: Flags, price: Any, greatest: Any) -> bool:
    """Tell whether a set is worth as much at a price as the best one."""
    worth = merits[used].sum() - price * int(used.sum())
    if merits.dtype != float:
        return bool(worth >= greatest)
    size = np.abs(merits[used]).sum() + abs(price) * used.sum()
    return bool(worth >= greatest - ROUNDING * size)


def _crossing(merits: Merits, few: Flags, many: Flags, low: Any, high: Any) -> Any | None:
    """Return the price at which a small and a large set are worth the same; None where it is no new one."""
    sizes, worth = int(many.sum()) - int(few.sum()), merits[many].sum() - merits[few].sum()
    if sizes <= 0:
        return None
    price = worth // sizes if merits.dtype != float else worth / sizes
    return price if (low is None or low < price) and (high is None or price < high) else None


def _inside(between: tuple[Any, Any] | None, low: Any, high: Any, merits: Merits) -> Any | None:
    """Return a price between two merits and two prices; None where nothing lies there."""
    whole = merits.dtype != float
    if between is not None:
        least = between[0] if low is None else low if between[0] is None else max(between[0], low)
        most = between[1] if high is None else high if between[1] is None else min(between[1], high)
        if least is not None and most is not None and least <= most:
            middle = least + (most - least) // 2 if whole else least + (most - least) / 2
            if middle not in (low, high):
                return middle
        elif least is not None and most is None:
            return least + 1
        elif most is not None and least is None:
            return most - 1
        elif least is None:
            return merits[0] * 0
    if low is not None and high is not None:
        middle = low + (high - low) // 2 if whole else low + (high - low) / 2
        return middle if low < middle < high else None
    reach = np.abs(merits).max() + 1
    if low is not None:
        return low + reach
    return high - reach if high is not None else merits[0] * 0
