"""Workloads that compete: what runs stays, what competes is solved together, the rest stands alone."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile

from fairlead.models.errors import InternalError
from fairlead.models.levels import Level
from fairlead.models.outcome import Attained, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.result import Progress, progress_of
from fairlead.models.score import better, follows_balance, levels_of
from fairlead.models.usage import usage, usage_of
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import (
    PartAnswer,
    PartQuestion,
    Placed,
    added,
    among,
    left_by,
    origin_of,
    overfull,
    proven,
)
from fairlead.solver.answers.attainment import Apart, are_exact, attained, bounded, status_of
from fairlead.solver.exact.alone import place_alone
from fairlead.solver.floor import SHARE_OF_FLOOR, keep_and_repair, standing_well
from fairlead.solver.loosening.movable import frozen
from fairlead.solver.parts.coupling import CoupledGroups, by_themselves, coupled, crowd, keeps_shared_rules
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search

Jointly = Callable[[PartQuestion], PartAnswer]
"""Solves a problem in one search."""

SHARE_WITHOUT_FLOOR = 0.5
"""Part of the time left that may be used before all are searched together where no placement is known."""
SHARE = 0.8
"""Part of the time left that one search of workloads that compete may use."""


def solve_competing(question: PartQuestion, jointly: Jointly) -> PartAnswer:
    """Solve a part with as few workloads in one search as its proof needs, first what has to move."""
    part, alone, search = question.part, question.alone, question.search
    floor = _floor(part, alone, search.deadline.part(SHARE_OF_FLOOR))
    if not search.deadline.remaining():
        return Competition(part, floor).answer()
    single = LonePlacement(search, jointly, floor or Placement({}))
    start = single.groups(part, alone, part.workloads)
    best = Competition(part, floor)
    if start.refuted():
        return best.refuted()
    if not start.complete():
        return best.answer()
    best = best.told(start.attained())
    if not frozen(part, start.alone) and 2 * crowd(start) >= len(part.workloads):
        return _as_a_whole(best, start.alone, search, jointly)
    share = search if floor is not None else search.part(SHARE_WITHOUT_FLOOR, quietly=False)
    found = _searched(start, best, share, single)
    if found is None:
        return best.refuted()
    return found.answer() if found.placement is not None else _as_a_whole(found, start.alone, search, jointly)


def _floor(part: Problem, alone: Placed, due: Deadline) -> Placement | None:
    """Return the better of what is found where all stay that may, and where only those do that have to."""
    may, have_to = standing_well(part), frozen(part, alone).keys()
    floor = keep_and_repair(part, may, due)
    return better(
        part, floor, keep_and_repair(part, have_to, due) if due.remaining() and have_to != may else None
    )


def _as_a_whole(best: "Competition", alone: Placed, search: Search, jointly: Jointly) -> PartAnswer:
    """Solve a part in one search: where nearly everybody competes, or nothing else has found a placement."""
    levels = best.relaxed[0] if best.relaxed else ()
    found = jointly(PartQuestion(best.part, search, alone, best.placement, levels))
    if found.status is Status.INFEASIBLE:
        return best.refuted()
    if found.placement is None:
        return best.answer()
    return best.told(found.attained).offered(found.placement, found.origin).answer()


def _searched(
    start: CoupledGroups, best: "Competition", search: Search, single: "LonePlacement"
) -> "Competition | None":
    """Return the best placement with all that is known then; None where there is none.

    Those that can only stay, as long as levels reach what workloads need alone, stay at first. Only where the
    levels do not reach that may they move as well.
    """
    part = best.part
    needed = start.attained()
    stay = frozen(part, start.alone)
    beside = _beside(part, start, stay, single) if best.may_reach(needed) else None
    if beside is not None and _coupled(beside, best, search, single):
        placement, attained = _with_those_that_stay(part, stay, beside)
        best = best.offered(placement, origin_of(beside.answers.values()))
        if _keeps(part, stay, attained, needed):
            best = best.told(attained)
            if best.closed(before_balance=search.later is not None):
                return best.separated(beside, frozenset(stay))
    if search.deadline.remaining():
        found = _coupled(start, best, search, single)
        if start.refuted():
            return None
        best = best.told(start.attained()) if start.complete() else best
        if found:
            best = best.offered(Placement(start.placed), origin_of(start.answers.values()))
    return best.separated(start)


def _coupled(groups: CoupledGroups, best: "Competition", search: Search, single: "LonePlacement") -> bool:
    """Solve those together that compete; tell whether all shared rules are kept then."""

    def together(problem: Problem, relaxed: tuple[Attained, ...]) -> PartAnswer:
        floor = best.placement
        known = floor and Placement({key: floor.of(key) for key in problem.workload_by_key})
        share = _for_all(search.part(SHARE, quietly=False), best)
        return single.jointly(PartQuestion(problem, share, known=known, relaxed=relaxed))

    return coupled(groups, together, lambda: search.deadline.remaining() > 0)


def _with_those_that_stay(
    part: Problem, stay: Mapping[str, Level], groups: CoupledGroups
) -> tuple[Placement, tuple[Attained, ...]]:
    """Return the placement of all, and its levels with what is proven while some stay."""
    staying = tuple(each for each in part.workloads if each.key in stay)
    held = {each.key: each.current for each in staying}
    rest = PartAnswer(groups.part, Status.FEASIBLE, Placement(groups.placed), groups.attained(), "exact")
    kept = proven(replace(part, workloads=staying, rules=()), Placement(held))
    return Placement({**held, **groups.placed}), added(part, [kept, rest])


def _for_all(search: Search, best: "Competition") -> Search:
    """Return a search of some workloads that tells how far the whole part is, whenever it gets further."""
    tell = search.progress
    if tell is None:
        return search

    def told(now: Progress) -> None:
        level = next((each for each in best.attained() if each.name == now.level), None)
        if level is not None:
            tell(progress_of(level.name, level.value, level.bound, now.seconds))

    return replace(search, progress=told)


@dataclass(frozen=True, slots=True)
class Competition:
    """The best placement so far, and what problems with fewer rules tell of the least of every level."""

    part: Problem
    placement: Placement | None
    """The best placement; None where none is known."""
    relaxed: tuple[tuple[Attained, ...], ...] = ()
    """Levels of best placements of problems with fewer rules, with their bounds."""
    origin: str = "exact"
    apart: Apart = field(default_factory=dict)
    """Workloads that cost what they would cost alone, as far as that is known."""

    def may_reach(self, needed: tuple[Attained, ...]) -> bool:
        """Tell whether the first levels may still be what workloads need alone, as far as is known."""
        bounds = (each for relaxed in self.relaxed for each in zip(relaxed, needed, strict=False))
        return all(known.bound is None or known.bound <= other.value for known, other in bounds)

    def offered(self, placement: Placement, origin: str) -> "Competition":
        """Return the better of this and another valid placement; of equals the other, which settles ties."""
        if better(self.part, placement, self.placement) is not placement:
            return self
        return replace(self, placement=placement, origin=origin)

    def told(self, attained: tuple[Attained, ...]) -> "Competition":
        """Return this with one more problem of fewer rules."""
        return replace(self, relaxed=(*self.relaxed, attained))

    def separated(self, groups: CoupledGroups, staying: frozenset[str] = frozenset()) -> "Competition":
        """Return this with what groups tell of those that are solved by themselves, beside some that stay."""
        if self.placement is None or groups.refuted() or not groups.complete():
            return self
        apart, counted = groups.apart(self.placement), levels_of(groups.part)
        # On the levels of those alone that stay, nobody else costs anything.
        reached = takewhile(lambda level: level in apart or level not in counted, levels_of(self.part))
        return replace(self, apart={level: apart.get(level, frozenset()) | staying for level in reached})

    def attained(self) -> tuple[Attained, ...]:
        """Return the levels with the best of all bounds."""
        if self.placement is None:
            return ()
        levels = attained(self.part, self.placement, ())
        for each in self.relaxed:
            levels = bounded(levels, each)
        return levels

    def closed(self, *, before_balance: bool) -> bool:
        """Tell whether every level is proven; asked for is perhaps only what comes before balance."""
        if self.placement is None:
            return False
        levels = zip(levels_of(self.part), self.attained(), strict=True)
        return all(
            each.proven or (before_balance and follows_balance(level, self.part)) for level, each in levels
        )

    def refuted(self) -> PartAnswer:
        """Return that there is no placement.

        Raises `InternalError` where one is known: a bug in fairlead.
        """
        if self.placement is not None:
            raise InternalError("workloads that compete are called infeasible, of which a placement is known")
        return PartAnswer(self.part, Status.INFEASIBLE, None, (), "cp-sat")

    def answer(self) -> PartAnswer:
        """Return the answer as it is now."""
        if self.placement is None:
            return PartAnswer(self.part, Status.UNKNOWN, None, (), "exact")
        levels = self.attained()
        return PartAnswer(self.part, status_of(levels), self.placement, levels, self.origin, self.apart)


@dataclass(frozen=True, slots=True)
class LonePlacement:
    """Places workloads as if each had all that is shared for itself."""

    search: Search
    """How to search where marginal allocation does not apply."""
    jointly: Jointly
    floor: Placement

    def groups(self, part: Problem, known: Placed, workloads: Iterable[Workload]) -> CoupledGroups:
        """Return workloads each for itself; `known` tells where some of them stand best."""
        groups = CoupledGroups(part, {})
        for workload in workloads:
            key = workload.key
            placed = known[key] if key in known else place_alone(workload, part)
            if placed is not None and keeps_shared_rules(part, workload, placed):
                groups.placed[key] = groups.alone[key] = placed
                continue
            floor = Placement({key: self.floor[key]}) if key in self.floor else None
            itself = by_themselves(part, (workload,))
            answer = self.jointly(PartQuestion(itself, self.search.part(SHARE), known=floor))
            groups.placed[key] = {}
            best = answer.status is Status.OPTIMAL and are_exact(answer.attained)
            if best and answer.placement is not None:
                groups.placed[key] = groups.alone[key] = answer.placement.of(key)
            else:
                groups.take(key, answer)
        return groups


def _beside(
    part: Problem, start: CoupledGroups, stay: Mapping[str, Level], single: LonePlacement
) -> CoupledGroups | None:
    """Return workloads that do not stay, each for itself in what the others leave; None where one cannot.

    Also None where nobody stays: that is the problem as a whole.
    """
    if not stay:
        return None
    staying = [each for each in part.workloads if each.key in stay]
    rest = tuple(each for each in part.workloads if each.key not in stay)
    left = left_by(part, staying, start.placed)
    residual = among(part, rest, left)
    if overfull(usage(staying, start.placed, part), part):
        return None
    known = {
        each.key: start.placed[each.key]
        for each in rest
        if each.key not in start.answers
        and not overfull(usage_of(each, start.placed[each.key], residual), residual)
    }
    groups = single.groups(residual, known, rest)
    return None if groups.refuted() or not groups.complete() else groups


def _keeps(
    part: Problem, stay: Mapping[str, Level], attained: tuple[Attained, ...], needed: tuple[Attained, ...]
) -> bool:
    """Tell whether the levels reach what workloads need alone, down to the moves of all those that stay.

    Then these have no other place in any best placement, and what was proven while they stayed is proven.
    Where not all of those moves are among the levels, every level has to reach what is needed: that is a
    proof by itself.
    """
    order = levels_of(part)
    counted = stay.values() if set(stay.values()) <= set(order) else order
    last = max(map(order.index, counted))
    return all(mine.value == other.bound for mine, other in zip(attained[: last + 1], needed, strict=False))
