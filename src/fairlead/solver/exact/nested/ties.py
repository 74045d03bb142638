"""Ties of a face: the placement with the most on the first cluster by name, then on the second and so on."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from fairlead.solver.exact.marginal import exact_sum, settle_ties
from fairlead.solver.exact.nested.best_set import TooLongError
from fairlead.solver.exact.nested.face import Face, Flags, Numbers

MOST_LOOKS = 300


def settle(face: Face) -> Numbers | None:
    """Return the lexicographically greatest placement of a face; None where it holds none.

    Raises `TooLongError` where too many cases had to be told apart.
    """
    if face.sums and face.is_box:
        return _placed(face.relaxed, np.ones(len(face.lower), dtype=bool))
    return _Settling().settle(face, 0)


class _Settling:
    """Settles one face; counts how often it looked."""

    def __init__(self) -> None:
        self._left = MOST_LOOKS

    def settle(self, face: Face, decided: int) -> Numbers | None:
        """Settle a face of which the clusters before a position are decided."""
        self._look()
        face = _without_too_large(face)
        first = self._first(face)
        if first is None:
            return None
        placed = _placed(face, first) if face.holds(first) else None
        if placed is not None and self._greatest(face, first, placed):
            return placed
        if placed is None and not face.sums and (only := self._at_an_end(face)) is not None:
            return only
        for at in range(decided, len(face.lower)):
            if face.open_to[at] and not (face.required[at] and face.lower[at] == face.upper[at]):
                return self._decide(face, at, first)
        return None

    def _at_an_end(self, face: Face) -> Numbers | None:
        """Return the greatest placement where all sets hold as much as the total, or more, or as little."""
        for side, held in ((-face.lower, face.lower), (face.upper, face.upper)):
            picked = face.pick(side)
            if picked is not None and exact_sum(held[picked.used]) == face.total:
                best = replace(face, merits=face.combined(side), first=None).with_first()
                return None if best is None or best.first is None else np.where(best.first, held, 0)
        return None

    def _look(self) -> None:
        """Count a case that is told apart."""
        self._left -= 1
        if self._left < 0:
            raise TooLongError

    def _first(self, face: Face) -> Flags | None:
        """Return, of the sets of the greatest merit, the one that holds the first clusters by name."""
        if face.first is not None:
            return face.first
        if not face.possible:
            return None
        best = face.with_first()
        return None if best is None else best.first

    def _greatest(self, face: Face, first: Flags, placed: Numbers) -> bool:
        """Tell whether no set allows more on a cluster than the first set does.

        More on a cluster that is not full would have to be taken from later ones, all of which hold their
        least; so only a set can give it that holds the same clusters up to there and has to hold fewer after
        it.
        """
        short = np.flatnonzero(first & (placed < face.upper))
        if not short.size:
            return True
        after = np.arange(len(first)) > short[0]
        bound = replace(
            face,
            open_to=face.open_to & (first | after),
            required=face.required | (first & ~after),
            first=None,
        )
        if face.sums:
            return all(self._needs_as_much(bound, first, needs) for needs in _needs(face, first, placed))
        least = bound.pick(-face.lower)
        return least is None or exact_sum(face.lower[least.used]) >= exact_sum(face.lower[first])

    def _needs_as_much(self, face: Face, first: Flags, needs: Numbers) -> bool:
        """Tell whether no best set needs less than the first one does, by cluster and group."""
        least = face.pick(-needs)
        return least is None or exact_sum(needs[face.nodes(least.used)]) >= exact_sum(
            needs[face.nodes(first)]
        )

    def _decide(self, face: Face, at: int, first: Flags) -> Numbers | None:
        """Try the numbers of replicas on one cluster, the largest first."""
        greatest = face.pick(np.zeros(len(face.lower), dtype=np.int64))
        if greatest is None:
            return None
        merit = face.merit(greatest.used)
        full = self._all_full(face, at, first, merit)
        if full is not None:
            return full
        for count in chain(self._counts(face, at, merit), (0,)):
            self._look()
            part = _with(face, at, count)
            if part.possible and self._may_hold(part, merit):
                found = self.settle(part, at + 1)
                if found is not None:
                    return found
        return None

    def _all_full(self, face: Face, at: int, first: Flags, merit: int) -> Numbers | None:
        """Return the greatest placement if from a position on, as far as may be, the first set is full.

        No set holds clusters that come before those of the first one. So where many clusters are equally good
        the first of them are used, and all others are not.
        """
        open_at = at + np.flatnonzero(face.open_to[at:])

        def part(count: int) -> Face:
            told = np.zeros(len(first), dtype=bool)
            told[open_at[:count]] = True
            lower, open_to = np.where(told, face.upper, face.lower), face.open_to & (first | ~told)
            required = face.required | (told & first)
            return replace(face, lower=lower, open_to=open_to, required=required, first=None)

        fewest, beyond = 1, len(open_at) + 1
        while fewest + 1 < beyond:
            middle = (fewest + beyond) // 2
            self._look()
            tried = part(middle)
            if tried.possible and self._may_hold(tried, merit):
                fewest = middle
            else:
                beyond = middle
        return None if fewest == 1 else self.settle(part(fewest), int(open_at[fewest - 1]) + 1)

    def _counts(self, face: Face, at: int, merit: int) -> range:
        """Return how many replicas a cluster may hold where it is used, the most first."""
        used = face.with_cluster(at, used=True)
        least = used.pick(-face.lower) if used.possible else None
        if least is None or face.merit(least.used) < merit:
            return range(0)
        others = exact_sum(face.lower[least.used]) - int(face.lower[at])
        most = min(int(face.upper[at]), face.total - others)
        return range(most, int(face.lower[at]) - 1, -1)

    def _may_hold(self, face: Face, merit: int) -> bool:
        """Tell whether sets of the greatest merit hold the total, as far as the least and the most tell."""
        least, most = face.pick(-face.lower), face.pick(face.upper)
        if least is None or most is None or face.merit(least.used) < merit:
            return False
        return exact_sum(face.lower[least.used]) <= face.total <= exact_sum(face.upper[most.used])


def _needs(face: Face, first: Flags, placed: Numbers) -> Iterator[Numbers]:
    """Yield the fewest replicas of clusters and groups beside clusters that could take more.

    Of the total, and of every group around such clusters that has no room left. A group elsewhere that needs
    more than its clusters stands for these.
    """
    wider = face.limits.wider
    held = [np.zeros(each.groups, dtype=np.int64) for each in wider]
    for each, sums in zip(wider, held, strict=True):
        np.add.at(sums, each.group, placed)
    short = np.flatnonzero(first & (placed < face.upper))
    for at in short[np.unique(wider[-1].group[short], return_index=True)[1]].tolist():
        path = [int(each.group[at]) for each in wider]
        yield _needed(face, first, np.ones(len(first), dtype=bool), path)
        for each, group, sums, (_, upper) in zip(wider, path, held, face.sums, strict=True):
            if sums[group] >= upper[group]:
                yield _needed(face, first, each.group == group, path)


def _needed(face: Face, first: Flags, inside: Flags, path: Sequence[int]) -> Numbers:
    """Return the fewest replicas of some clusters, and of groups of these that are not on a path."""
    lower, groups = np.where(inside, face.lower, 0), []
    for limit, (least, _), own in zip(face.limits.wider, face.sums, path, strict=True):
        alone = np.zeros(limit.groups, dtype=np.int64)
        np.add.at(alone, limit.group[first], lower[first])
        around = np.bincount(limit.group[inside], minlength=limit.groups) > 0
        around[own] = False
        groups.append(np.where(around & (least > alone), least, 0))
        inside = inside & (groups[-1] == 0)[limit.group]
        lower = np.where(inside, lower, 0)
    return np.concatenate([lower, *groups])


def _without_too_large(face: Face) -> Face:
    """Return a face without the clusters that would hold more than those that have to be used leave."""
    left = face.total - exact_sum(face.lower[face.required])
    open_to = face.open_to & (face.required | (face.lower <= left))
    return face if bool(np.array_equal(open_to, face.open_to)) else replace(face, open_to=open_to, first=None)


def _with(face: Face, at: int, count: int) -> Face:
    """Return the part of a face in which a cluster holds so many replicas."""
    if not count:
        return face.with_cluster(at, used=False)
    lower, upper = face.lower.copy(), face.upper.copy()
    lower[at] = upper[at] = count
    return replace(face.with_cluster(at, used=True), lower=lower, upper=upper)


def _placed(face: Face, used: Flags) -> Numbers:
    """Divide the total among the clusters of a set, the first by name first."""
    placed = np.zeros(len(used), dtype=np.int64)
    divided = face.division(used) if face.sums else None
    if divided is not None:
        groups, at = divided
        tight = groups.tight()
        placed[at] = tight.settle_ties(np.argsort(at)) if tight else 0
    else:
        box, at = face.box(used)
        placed[at] = settle_ties(box)
    return placed
