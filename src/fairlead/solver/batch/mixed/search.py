"""Many workloads on shared capacity of which some are no boxes: prices for all, then each as a box."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType

from fairlead.models.check import check, violations_of
from fairlead.models.errors import InternalError
from fairlead.models.levels import DEVIATIONS, NET
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.result import progress_of
from fairlead.models.rules import Capacity, Weights
from fairlead.models.score import levels_of, score
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import Placed, among, left_by
from fairlead.solver.answers.attainment import LevelProof, LexicographicResult, attained
from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import MOST
from fairlead.solver.batch.levels import solve_batch
from fairlead.solver.batch.mixed.approximations import divided, inner, joined
from fairlead.solver.batch.mixed.bounds import RelaxedBounds
from fairlead.solver.batch.mixed.columns import (
    in_tiers,
    place_one_by_one,
    without_tiers,
)
from fairlead.solver.batch.separable import fits_arrays, is_measured, is_plain
from fairlead.solver.levels.lexicographic import minimise_levels
from fairlead.solver.running.deadline import Deadline, TimeOverError, now
from fairlead.solver.running.linear_algebra import in_one_thread
from fairlead.solver.running.search import Search

Rank = tuple[int | Fraction, ...]


def applies_mixed(part: Problem) -> bool:
    """Tell whether a problem can be solved by `solve_mixed`: nothing but capacity is shared."""
    if part.partial or not part.workloads or not all(isinstance(rule, Capacity) for rule in part.rules):
        return False
    return is_measured(part) and fits_arrays(part) and all(each.replicas < MOST for each in part.workloads)


@in_one_thread
def solve_mixed(
    part: Problem,
    search: Search,
    floor: Placement | None = None,
    alone: Placed = MappingProxyType({}),
) -> LexicographicResult:
    """Place many workloads that share capacity, level by level; any may have rules beyond boxes.

    `applies_mixed` must hold; all else is as for `solve_batch`. Some workloads are known as they are placed
    where they have all that is shared for themselves.
    """
    mixed = _Mixed(part, search, alone)
    if mixed.bounds.infeasible:
        return LexicographicResult(Status.INFEASIBLE, None)
    if floor is not None:
        mixed.offer(floor)
    try:
        mixed.run()
    except KeyboardInterrupt:
        if mixed.best is None:
            return LexicographicResult(Status.UNKNOWN, None)
    return mixed.result()


@dataclass(slots=True)
class _Mixed:
    """Search for placements of a part: the best so far, its values, and the bounds of all levels."""

    part: Problem
    search: Search
    alone: Placed
    """Workloads as they are placed where they have all that is shared for themselves, as far as known."""
    best: Placement | None = None
    rank: Rank = ()
    notes: list[LevelProof] = field(default_factory=list)
    noted: Rank = ()
    leading: list[int | Fraction] = field(default_factory=list)
    refuted: bool = False
    started: float = field(default_factory=now)
    bounds: RelaxedBounds = field(init=False)
    odd: tuple[Workload, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.bounds = RelaxedBounds(self.part)
        self.odd = tuple(each for each in self.part.workloads if not is_plain(each))

    def run(self) -> None:
        """Find prices, and a placement with groups chosen by them."""
        try:
            chosen = self._chosen_by_price()
        except TimeOverError:
            return
        if self._late:
            return
        self._divide(chosen, self.search.deadline.part(tuning.DIVIDE_SHARE))
        if self.best is None and self._tiered:
            self._divide_over_tiers(chosen)
        if self.best is None and self.search.deadline.remaining():
            search, limits = self.search, self.part.limits
            alone = place_one_by_one(self.part, self.odd, limits, search.deadline, search.seed)
            self._divide(alone, self.search.deadline)
        if self.best is not None:
            self._note()
        self._search_whole()

    def offer(self, placement: Placement) -> bool:
        """Take a placement if it keeps every rule and is better."""
        rank = tuple(level.value for level in score(self.part, placement))
        if self.best is not None and rank >= self.rank:
            return False
        if check(self.part, placement):
            return False
        self.best, self.rank = placement, rank
        self._told()
        return True

    def _told(self) -> None:
        """Tell how far the search is: about the first level that is not proven."""
        if self.search.progress is None:
            return
        levels = levels_of(self.part)
        for number, level in enumerate(levels):
            note = self.notes[number] if number < len(self.notes) else LevelProof()
            if note.bound is None or note.bound < self.rank[number] or number == len(levels) - 1:
                bound = max(note.bound or 0, 0)
                seconds = now() - self.started
                self.search.progress(progress_of(level.name, self.rank[number], bound, seconds))
                return

    @property
    def _late(self) -> bool:
        """Whether time is over and a placement is known, so that whatever is begun would end too late."""
        return self.best is not None and not self.search.deadline.remaining()

    @property
    def _closed(self) -> bool:
        """Whether the placement is known to be the best on every level."""
        return self.best is not None and self.noted == self.rank and all(each.proven for each in self.notes)

    def _note(self) -> None:
        """Evaluate the bounds of all levels for the best placement."""
        if self.best is None or self._late:
            return
        notes = self.bounds.notes(self.best, self.search.deadline)
        known = zip(notes, self.leading, self.rank, strict=False)
        self.notes = [*(_higher(*each) for each in known), *notes[len(self.leading) :]]
        self.noted = self.rank
        self._told()

    @property
    def _tiered(self) -> frozenset[str]:
        """Keys of the workloads that are boxes but for their overflow tiers."""
        return frozenset(each.key for each in self.odd if is_plain(without_tiers(each)))

    def _divide_over_tiers(self, placed: Placement) -> None:
        """Decide what overflow tiers hold by the ratio of all clusters, then divide all with that."""
        found = self._divide(placed, self.search.deadline.part(tuning.OVER_TIERS_SHARE), self._tiered)
        if self.best is not None:
            self._divide(self.best, self.search.deadline.part(tuning.DIVIDE_SHARE))
        if not self._tiered.issuperset(each.key for each in self.odd):
            return
        # Nothing but the deviation is measured otherwise, so what is proven before it holds here as well.
        for level, reached in zip(levels_of(self.part), found.attained, strict=False):
            if reached.bound is None or level.base in (NET, *DEVIATIONS):
                return
            self.leading.append(reached.bound)
            if not reached.proven:
                return

    def _divide(
        self, placed: Placement, deadline: Deadline, over_tiers: Collection[str] = frozenset()
    ) -> LexicographicResult:
        """Divide all workloads, those with rules beyond boxes about as they are placed."""
        boxes: list[Workload] = []
        owners: dict[str, str] = {}
        odd = {each.key for each in self.odd}
        for workload in self.part.workloads:
            held = placed.of(workload.key)
            made: Sequence[Workload] = (workload,)
            if workload.key in over_tiers:
                made = (without_tiers(workload),)
            elif workload.key in odd:
                if any(violations_of(workload, held)):
                    return LexicographicResult(Status.UNKNOWN, None)
                made = inner(workload, self.part, held)
            boxes += made
            owners |= {box.key: workload.key for box in made}
        problem = among(self.part, boxes, self.part.limits)
        floor = None if self.best is None else divided(self.best, boxes, owners)
        quietly = replace(self.search, deadline=deadline, progress=None)
        result = solve_batch(problem, quietly, floor)
        if result.placement is not None:
            self.offer(joined(result.placement, owners))
        return result

    def _chosen_by_price(self) -> Placement:
        """Return the workloads with rules beyond boxes as they stand best at prices; the rest one by one."""
        placed: dict[str, Mapping[str, int]] = {}
        odd = {each.key for each in self.odd}
        priced = self.bounds.guess(self.search.deadline.part(tuning.BOUND_SHARE))
        if priced is not None:
            placed = {key: found for key, found in priced.items() if key in odd}
        tiered = (each for each in self.odd if any(rule.tiers for rule in each.rules_of(Weights)))
        # Where no placement is known yet, a late one is better than none.
        for workload in self.search.deadline.while_lasting(tiered) if self.best is not None else tiered:
            if workload.key not in placed:
                # What tiers hold is kept from here on; where in them is decided together with all others.
                known = self.alone.get(workload.key)
                placed[workload.key] = in_tiers(workload, self.part) if known is None else known
        placed = {key: found for key, found in placed.items() if found}
        rest = [each for each in self.odd if each.key not in placed]
        left = left_by(self.part, self.part.workloads, placed)
        until = self.search.deadline.part(tuning.FIRST_SHARE)
        others = place_one_by_one(self.part, rest, left, until, self.search.seed)
        return Placement({**placed, **others.to_dict()})

    def _search_whole(self) -> None:
        """Give a small problem to CP-SAT as a whole, with all that is known."""
        places = len(self.part.workloads) * len(self.part.clusters)
        if self._closed or places > tuning.WHOLE or self.search.deadline.remaining() <= 0:
            return
        result = minimise_levels(self.part, replace(self.search, progress=None, later=None), self.best)
        if result.status is Status.INFEASIBLE:
            if self.best is not None:
                raise InternalError("a mixed batch is called infeasible of which a placement is known")
            self.refuted = True
        if result.placement is None:
            return
        rank = tuple(level.value for level in result.attained)
        if self.best is None or rank <= self.rank:
            notes = [LevelProof(each.bound, each.proven, each.resolution is None) for each in result.attained]
            # Where time was over before CP-SAT had a bound, that of the prices still holds.
            known = list(self._holding(rank))
            raised = (note.better(other) for note, other in zip(notes, known, strict=False))
            notes = [*raised, *notes[len(known) :]]
            self.best, self.rank, self.noted, self.notes = result.placement, rank, rank, notes

    def _holding(self, rank: Rank) -> Iterator[LevelProof]:
        """Yield how far levels got where those of another placement were noted: at most as good, in order.

        Bounds hold as long as the levels before cost the same; so that of the first better level still does.
        """
        for note, before, after in zip(self.notes, self.noted, rank, strict=False):
            if after != before:
                yield LevelProof(note.bound, exact=note.exact)
                return
            yield note

    def result(self) -> LexicographicResult:
        """Return the best placement that was found, with its levels."""
        if self.best is None:
            return LexicographicResult(Status.INFEASIBLE if self.refuted else Status.UNKNOWN, None)
        broken = check(self.part, self.best)
        if broken:
            raise InternalError(f"the placement of a mixed batch breaks a rule: {broken[0]}")
        # Where time was over before any bound was evaluated, those of the first levels may be known.
        leading = zip(self.leading, self.rank, strict=False)
        notes = list(self._holding(self.rank)) or [
            LevelProof(bound, bound >= value) for bound, value in leading
        ]
        levels = attained(self.part, self.best, notes)
        proven = all(level.proven for level in levels)
        return LexicographicResult(Status.OPTIMAL if proven else Status.FEASIBLE, self.best, levels)


def _higher(note: LevelProof, bound: int | Fraction, value: int | Fraction) -> LevelProof:
    """Return how far a level got that is known to be no lower than a bound."""
    if note.bound is not None and note.bound >= bound:
        return note
    return LevelProof(bound, bound >= value, note.exact)
