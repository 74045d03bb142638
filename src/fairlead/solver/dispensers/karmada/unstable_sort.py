"""The order in which Go's ``sort.Sort`` leaves equal weights.

The scheduler sorts weights with an unstable sort, and for an Aggregated workload which of several equal
clusters stand first decides who gets replicas. Go's sort is a pattern-defeating quicksort (Orson Peters)
without true randomness, so its order of equals can be told: up to 12 entries an insertion sort, which is
stable; beyond that the steps below.
"""

from dataclasses import dataclass

_INSERTION_SORT_UP_TO = 12
_NINTHER_FROM = 50
_SHIFTING_FROM = 50
_MOST_SWAPS = 12
_MOST_REPAIRS = 5

Weighted = tuple[str, int]


def largest_first(weights: list[Weighted]) -> list[Weighted]:
    """Return names and weights by weight descending, equal ones in the order of Go's sort."""
    few = len(weights) <= _INSERTION_SORT_UP_TO
    if few or len({weight for _, weight in weights}) == len(weights):
        return sorted(weights, key=lambda pair: -pair[1])
    sorting = _Sorting(list(weights))
    sorting.sort(0, len(weights), len(weights).bit_length())
    return sorting.items


@dataclass(frozen=True, slots=True)
class _Sorting:
    """The list being sorted in place; the entry with the larger weight comes first."""

    items: list[Weighted]

    def less(self, one: int, other: int) -> bool:
        return self.items[one][1] > self.items[other][1]

    def swap(self, one: int, other: int) -> None:
        items = self.items
        items[one], items[other] = items[other], items[one]

    def sort(self, start: int, stop: int, limit: int) -> None:
        """Sort the entries from start to before stop; after `limit` unlucky partitions by heap sort."""
        balanced = partitioned = True
        while stop - start > _INSERTION_SORT_UP_TO:
            length = stop - start
            if limit == 0:
                self.heap_sort(start, stop)
                return
            if not balanced:
                self.break_patterns(start, stop)
                limit -= 1
            pivot, swaps = self.choose_pivot(start, stop)
            if swaps == _MOST_SWAPS:
                self.items[start:stop] = self.items[start:stop][::-1]
                pivot, swaps = (stop - 1) - (pivot - start), 0
            if balanced and partitioned and swaps == 0 and self.repair(start, stop):
                return
            if start > 0 and not self.less(start - 1, pivot):
                start = self.skip_equal(start, stop, pivot)
                continue
            middle, partitioned = self.partition(start, stop, pivot)
            left, right = middle - start, stop - middle
            balanced = min(left, right) >= length // 8
            if left < right:
                self.sort(start, middle, limit)
                start = middle + 1
            else:
                self.sort(middle + 1, stop, limit)
                stop = middle
        self.items[start:stop] = sorted(self.items[start:stop], key=lambda pair: -pair[1])

    def partition(self, start: int, stop: int, pivot: int) -> tuple[int, bool]:
        """Put smaller entries before the pivot; return its place and whether nothing had to move."""
        self.swap(start, pivot)
        low, high, untouched = start + 1, stop - 1, True
        while True:
            while low <= high and self.less(low, start):
                low += 1
            while low <= high and not self.less(high, start):
                high -= 1
            if low > high:
                self.swap(high, start)
                return high, untouched
            self.swap(low, high)
            low, high, untouched = low + 1, high - 1, False

    def skip_equal(self, start: int, stop: int, pivot: int) -> int:
        """Put entries equal to the pivot first, where none is smaller; return where the others begin."""
        self.swap(start, pivot)
        low, high = start + 1, stop - 1
        while True:
            while low <= high and not self.less(start, low):
                low += 1
            while low <= high and self.less(start, high):
                high -= 1
            if low > high:
                return low
            self.swap(low, high)
            low, high = low + 1, high - 1

    def repair(self, start: int, stop: int) -> bool:
        """Shift a few misplaced entries; return whether the entries are sorted then."""
        place = start + 1
        for _ in range(_MOST_REPAIRS):
            while place < stop and not self.less(place, place - 1):
                place += 1
            if place == stop:
                return True
            if stop - start < _SHIFTING_FROM:
                return False
            self.swap(place, place - 1)
            if place - start >= 2:
                self.shift_left(place - 1)
            if stop - place >= 2:
                self.shift_right(place + 1, stop)
        return False

    def shift_left(self, place: int) -> None:
        while place >= 1 and self.less(place, place - 1):
            self.swap(place, place - 1)
            place -= 1

    def shift_right(self, place: int, stop: int) -> None:
        while place < stop and self.less(place, place - 1):
            self.swap(place, place - 1)
            place += 1

    def choose_pivot(self, start: int, stop: int) -> tuple[int, int]:
        """Return the place of the pivot and how many comparisons found entries out of order."""
        length, swaps = stop - start, 0
        places = [start + length // 4 * quarter for quarter in (1, 2, 3)]
        if length >= _NINTHER_FROM:
            for spot, place in enumerate(places):
                places[spot], more = self.median(place - 1, place, place + 1)
                swaps += more
        pivot, more = self.median(*places)
        return pivot, swaps + more

    def median(self, first: int, second: int, third: int) -> tuple[int, int]:
        swaps = 0
        if self.less(second, first):
            first, second, swaps = second, first, swaps + 1
        if self.less(third, second):
            second, third, swaps = third, second, swaps + 1
        if self.less(second, first):
            first, second, swaps = second, first, swaps + 1
        return second, swaps

    def break_patterns(self, start: int, stop: int) -> None:
        """Scatter three entries, by a xorshift generator that begins at the number of entries."""
        length = stop - start
        state, mask = length, (1 << length.bit_length()) - 1
        centre = start + length // 4 * 2
        for offset in (-1, 0, 1):
            state ^= state << 13 & (2**64 - 1)
            state ^= state >> 7
            state ^= state << 17 & (2**64 - 1)
            other = state & mask
            self.swap(centre + offset, start + (other - length if other >= length else other))

    def heap_sort(self, start: int, stop: int) -> None:
        length = stop - start
        for root in reversed(range((length - 1) // 2 + 1)):
            self.sift_down(root, length, start)
        for end in reversed(range(length)):
            self.swap(start, start + end)
            self.sift_down(0, end, start)

    def sift_down(self, root: int, end: int, start: int) -> None:
        while (child := 2 * root + 1) < end:
            if child + 1 < end and self.less(start + child, start + child + 1):
                child += 1
            if not self.less(start + root, start + child):
                return
            self.swap(start + root, start + child)
            root = child
