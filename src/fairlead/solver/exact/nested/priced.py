"""The best set of a size, where counting clusters beside groups would make the tables large.

Every cluster that is used costs a price. The best set at a price is found without counting clusters; if
another set of the right size is worth as much there, that one is the best of its size (H. Everett, 1963). So
sets of the right size are made from the groups that the best set uses, until one is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from fairlead.solver.exact.nested.best_set import NoPriceError, PickedSet, Picker, TooLongError, falling
from fairlead.solver.exact.nested.joined_tables import Flags, Merits, Numbers
from fairlead.solver.exact.nested.limits import GroupLimits

MOST_PRICES = 40
STEPS = 2**16
LARGEST = 2**43
ROUNDING = 2.0**-40


@dataclass(slots=True, eq=False)
class SetHint:
    """Where the next set is looked for first; what is found does not depend on it."""

    groups: Flags | None = None
    """The finest groups of the last set that could have been better if more clusters were allowed; None where
    there was none."""


class PricedPicker:
    """Picks the best set of clusters, the number of clusters by a price; see `Picker`.

    Raises `NoPriceError`: at no price the best sets have the right size; of merits in floats a good set is
    returned. Raises `TooLongError`: nothing was found at all.
    """

    def __init__(
        self,
        limits: GroupLimits,
        open_to: Flags,
        required: Flags,
        needed: Sequence[Flags] | None = None,
        near: SetHint | None = None,
    ) -> None:
        self._free = Picker(replace(limits, least=1, most=None), open_to, required, needed)
        self._limits = limits
        self._open = np.flatnonzero(open_to)
        self._required = required & open_to
        self._least = limits.least
        self._most = int(open_to.sum()) if limits.most is None else limits.most
        self._leaf = limits.wider[-1].group
        self._leaves = limits.wider[-1].groups
        self._near = near or SetHint()

    def pick(self, merits: Merits) -> PickedSet | None:
        """Return a best set; None where no set keeps the limits."""
        # Between whole merits there is room for prices.
        return self._pick(merits) if merits.dtype == float else self._finely(merits)

    def _finely(self, merits: Merits) -> PickedSet | None:
        """Return a best set by merits in small steps."""
        kind = np.int64 if int(np.abs(merits).sum()) < LARGEST else object
        try:
            picked = self._pick(merits.astype(kind) * STEPS)
        except NoPriceError as apart:
            known, bound = apart.known, apart.bound // STEPS
            known = known and PickedSet(known.used, known.value // STEPS)
            if known is not None and known.value == bound:
                return known
            raise NoPriceError(apart.few, apart.many, known, bound) from None
        if picked is None or picked.price is None:
            return picked
        return PickedSet(picked.used, picked.value // STEPS, picked.price / STEPS)

    def _pick(self, merits: Merits) -> PickedSet | None:
        """Return a best set, by prices in the steps of the merits."""
        # A price is the same for all clusters, so they are ranked once.
        *_, single = self._limits.split(merits)
        ranked = falling(single[self._open])
        ranking = _Ranking(merits, single, self._open[ranked], self._free.by_group(ranked), self._limits)
        found = self._again(ranking)
        if found is not None:
            return found
        picked = self._free.pick(merits, ranking.by_group)
        if picked is None:
            return None
        count = int(np.count_nonzero(picked.used))
        if self._least <= count <= self._most:
            return replace(picked, price=Fraction(0))
        # Too many clusters have to cost something, too few to earn something.
        zero = merits[:1].sum() * 0
        bracket = _Bracket(zero, None) if count > self._most else _Bracket(None, zero)
        wanted = self._most if count > self._most else self._least
        return self._priced(ranking, wanted, self._groups(picked.used), bracket)

    def _again(self, ranking: "_Ranking") -> PickedSet | None:
        """Return the best set where the groups of the last one tell its price; None where they do not."""
        near = self._near.groups
        if near is None:
            return None
        free = self._least == self._most
        bracket = _Bracket(None if free else ranking.merits[:1].sum() * 0, None)
        made = self._made(ranking, self._most, near)
        price = bracket.next_price(ranking, made)
        picked = None if price is None else self._free.pick(ranking.less(price), ranking.by_group)
        if picked is None:
            return None
        known = _better(None, ranking, made)
        known = _better(known, ranking, self._made(ranking, self._most, self._groups(picked.used)))
        return self._reached(ranking, known, price, picked)

    def _priced(
        self, ranking: "_Ranking", wanted: int, touched: Flags, bracket: "_Bracket"
    ) -> PickedSet | None:
        """Return the best set of a size, from the groups of a set of another size on."""
        known: PickedSet | None = None
        merits = ranking.merits
        for _ in range(MOST_PRICES):
            made = self._made(ranking, wanted, touched)
            known = _better(known, ranking, made)
            price = bracket.next_price(ranking, made)
            if price is None:
                break
            picked = self._free.pick(ranking.less(price), ranking.by_group)
            if picked is None:
                return None
            touched = self._groups(picked.used)
            known = _better(known, ranking, self._made(ranking, wanted, touched))
            found = self._reached(ranking, known, price, picked)
            if found is not None:
                self._near.groups = self._groups(found.used) if wanted == self._most else None
                return found
            bracket.note(price, picked, wanted)
        if merits.dtype == float and known is not None:
            return known
        if bracket.few is None or bracket.many is None or merits.dtype == float:
            raise TooLongError
        raise NoPriceError(bracket.few, bracket.many, known, int(bracket.bound))

    def _reached(
        self, ranking: "_Ranking", known: PickedSet | None, price: Any, picked: PickedSet
    ) -> PickedSet | None:
        """Return a set of the right size where it is as good at a price as the best one of all sizes."""
        if known is None or not _reaches(ranking, known.used, price, picked.value):
            return None
        return known if ranking.merits.dtype == float else replace(known, price=Fraction(int(price)))

    def _groups(self, used: Flags) -> Flags:
        """Return the finest groups that a set uses."""
        touched = np.zeros(self._leaves, dtype=bool)
        touched[self._leaf[used]] = True
        return touched

    def _made(self, ranking: "_Ranking", wanted: int, touched: Flags) -> tuple[Flags, Any, Any] | None:
        """Return the best set of a size that uses all of some groups and no others.

        Returns as well between which merits its last cluster and the next one lie; None where there is no
        set.
        """
        order = ranking.falling[touched[self._leaf[ranking.falling]]]
        used = self._required.copy()
        bare = touched.copy()
        bare[self._leaf[used]] = False
        first = np.full(self._leaves, -1)
        first[self._leaf[order[::-1]]] = order[::-1]
        used[first[bare & (first >= 0)]] = True
        rest = order[~used[order]]
        more = wanted - int(np.count_nonzero(used))
        if not 0 <= more <= len(rest):
            return None
        used[rest[:more]] = True
        merits = ranking.merits
        return (
            used,
            merits[rest[more]] if more < len(rest) else None,
            merits[rest[more - 1]] if more else None,
        )


class _Ranking(NamedTuple):
    """Merits, and the open clusters by falling merit, and as `Picker.by_group` puts them."""

    all_merits: Merits
    """Merits of clusters, then of groups in use if there are any."""
    merits: Merits
    falling: Numbers
    by_group: Numbers
    limits: GroupLimits

    def less(self, price: Any) -> Merits:
        """Return all merits where a cluster costs a price."""
        less: Merits = self.merits - price
        if self.merits is self.all_merits:
            return less
        return np.concatenate([less, self.all_merits[len(less) :]])

    def of(self, used: Flags) -> Merits:
        """Return the merits of all that a set uses."""
        alone = self.merits is self.all_merits
        found: Merits = self.merits[used] if alone else self.all_merits[self.limits.nodes(used)]
        return found


@dataclass(slots=True, eq=False)
class _Bracket:
    """Prices around the wanted size: sets are too large at `low`, too small at `high`; None: unknown."""

    low: Any
    high: Any
    few: Flags | None = None
    many: Flags | None = None
    bound: Any = None

    def note(self, price: Any, picked: PickedSet, wanted: int) -> None:
        """Take down the best set at a price."""
        reached = picked.value + price * wanted
        self.bound = reached if self.bound is None else min(self.bound, reached)
        if int(np.count_nonzero(picked.used)) > wanted:
            self.low, self.many = price, picked.used
        else:
            self.high, self.few = price, picked.used

    def next_price(self, ranking: _Ranking, made: tuple[Flags, Any, Any] | None) -> Any | None:
        """Return the next price to look at; None where no other bounds the value any better."""
        if self.few is None or self.many is None:
            return _inside(None if made is None else made[1:], self.low, self.high, ranking.merits)
        return _crossing(ranking, self.few, self.many, self.low, self.high)


def _better(
    known: PickedSet | None, ranking: _Ranking, made: tuple[Flags, Any, Any] | None
) -> PickedSet | None:
    """Return the better one of two sets of one size; None where there is neither."""
    if made is None:
        return known
    value = ranking.of(made[0]).sum()
    return PickedSet(made[0], value) if known is None or value > known.value else known


def _reaches(ranking: _Ranking, used: Flags, price: Any, greatest: Any) -> bool:
    """Tell whether a set is worth as much at a price as the best one."""
    count = int(np.count_nonzero(used))
    worth = ranking.of(used).sum() - price * count
    if ranking.merits.dtype != float:
        return bool(worth >= greatest)
    size = np.abs(ranking.of(used)).sum() + abs(price) * count
    return bool(worth >= greatest - ROUNDING * size)


def _crossing(ranking: _Ranking, few: Flags, many: Flags, low: Any, high: Any) -> Any | None:
    """Return the price at which a small and a large set are worth the same; None where it is no new one."""
    sizes = int(np.count_nonzero(many)) - int(np.count_nonzero(few))
    worth = ranking.of(many).sum() - ranking.of(few).sum()
    if sizes <= 0:
        return None
    price = worth // sizes if ranking.merits.dtype != float else worth / sizes
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
