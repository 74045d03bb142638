"""The algorithm for many workloads: prices, a bound, a placement, and exchanges until the two meet."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from fairlead.encoders.registry import encode
from fairlead.models.check import check
from fairlead.models.errors import InternalError
from fairlead.models.levels import DEVIATIONS
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.result import Progress, progress_of
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.quota import askers
from fairlead.models.score import score
from fairlead.models.usage import Row
from fairlead.solver.answers.attainment import LevelProof, LexicographicResult, attained
from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Batch, Whole, batch_of
from fairlead.solver.batch.costs import BatchLevel, budgets_of, costs_of, nothing
from fairlead.solver.batch.dual.bound import ranges
from fairlead.solver.batch.dual.subgradient import refuted
from fairlead.solver.batch.first_placement import place_first
from fairlead.solver.batch.incumbent import Incumbent, OnProgress
from fairlead.solver.batch.level import minimise
from fairlead.solver.batch.model import Prices, model_of
from fairlead.solver.batch.primal.neighbourhood import solve_subproblem
from fairlead.solver.batch.surrogate import (
    Pin,
    Surrogate,
    SurrogateResult,
    after_guide,
    can_break,
    followers,
    guide_of,
    straight_guide,
)
from fairlead.solver.levels.ties import TieBreak, settle
from fairlead.solver.running.deadline import Deadline, now
from fairlead.solver.running.linear_algebra import in_one_thread
from fairlead.solver.running.search import Search

Report = Callable[[Progress], None]


@in_one_thread
def solve_batch(
    part: Problem,
    search: Search,
    floor: Placement | None = None,
    worth: Mapping[Row, float] | None = None,
) -> LexicographicResult:
    """Place many workloads that share capacity, level by level.

    Parameters
    ----------
    part
        The problem; `fairlead.solver.batch.separable.applies` must hold.
    search
        How to search; its progress is told when the placement or the bound of a level gets better.
    floor
        A placement that the answer is not worse than; one that breaks a rule is not used.
    worth
        Price of one unit of each resource on a cluster, about, in units of the first level; None where nobody
        knows.

    Returns
    -------
    LexicographicResult
        OPTIMAL where every level reaches its bound, which is exact.

    Raises
    ------
    InternalError
        Where the placement breaks a rule: a bug in fairlead.
    """
    batch = batch_of(part)
    if not batch.feasible or _over_quota(part):
        return LexicographicResult(Status.INFEASIBLE, None)
    search.side_by_side.prepare(solve_subproblem)
    pins = tuple(budgets_of(batch))
    best = batch.matrix(floor) if floor is not None and not check(part, floor) else None
    if best is None and not worth and refuted(batch, pins, search.deadline.part(tuning.REFUTING_SHARE)):
        return LexicographicResult(Status.INFEASIBLE, None)
    levels = _Levels(batch, costs_of(batch), search, worth or {})
    status, found = levels.run(_Stage(batch, pins, best))
    if status is Status.INFEASIBLE or found is None:
        return LexicographicResult(status if status is Status.INFEASIBLE else Status.UNKNOWN, None)
    found, notes = levels.not_worse(found, best)
    return _concluded(part, batch.placement(found), notes, search)


@dataclass(frozen=True, slots=True, eq=False)
class _Stage:
    """Where a search stands before a level: what is pinned, and the best placement, if one is known.

    The batch is without what no placement holds that is as good on the levels before; guided is what the
    guide of the level before has learned.
    """

    batch: Batch
    pins: tuple[Pin, ...]
    best: Whole | None
    guided: SurrogateResult | None = None


@dataclass(slots=True)
class _Levels:
    """Search over the levels: the incumbents so far, one a level, and prices to begin with."""

    batch: Batch
    costs: tuple[BatchLevel, ...]
    search: Search
    worth: Mapping[Row, float] = field(default_factory=dict)
    """Price of one unit of a resource on a cluster, about, in units of the first level; empty where
    unknown."""
    found: list[Incumbent] = field(default_factory=list)
    started: float = field(default_factory=now)
    """When the search began, on the clock of deadlines."""
    ended: list[float] = field(default_factory=list)
    """When the search of each level ended that has an incumbent."""

    def run(self, first: _Stage) -> tuple[Status, Whole | None]:
        """Minimise every level in turn; INFEASIBLE is proven, all else is told by `notes`."""
        if not self.costs:
            found = self._minimise(first, nothing(self.batch), 0)
            return Status.INFEASIBLE if found.infeasible else Status.FEASIBLE, found.best
        stages = [first]
        found = self._minimise(first, self.costs[0], 0)
        if found.infeasible:
            if first.best is not None:
                raise InternalError("a batch is called infeasible of which a placement is known")
            return Status.INFEASIBLE, None
        if found.best is None and not found.interrupted:
            placement = place_first(self.batch.problem)
            found = replace(found, best=None if placement is None else self.batch.matrix(placement))
        if found.best is None:
            return Status.UNKNOWN, None
        found = self._go_on(stages, 0, found)
        if not found.interrupted:
            self._look_again(stages)
        return Status.FEASIBLE, stages[-1].best

    def not_worse(self, found: Whole, floor: Whole | None) -> tuple[Whole, list[LevelProof]]:
        """Return the placement that was found or a floor that is better, and the notes on its levels."""
        if floor is None:
            return found, self.notes
        for number, cost in enumerate(self.costs):
            most = cost.enough(self.found[number].bound) if number < len(self.found) else 0
            reached, before = max(most, cost.steps(found)), max(most, cost.steps(floor))
            if reached < before:
                break
            if before < reached:
                # Up to here nothing else is pinned; what was proven after it is not about the floor.
                return floor, [replace(each, proven=False) for each in self.notes[: number + 1]]
        return found, self.notes

    def _look_again(self, stages: list[_Stage]) -> None:
        """Spend what time is left on levels that are not proven, the first ones first."""
        number = 0
        while number < len(self.costs) and self._is_left(tuning.WORTH_ANOTHER_LOOK):
            if self._note(number).proven or not self._all_fit(number):
                number += 1
                continue
            self.search = replace(self.search, seed=self.search.seed + 1)
            before = replace(stages[number], best=stages[-1].best, guided=None)
            found = self._minimise(before, self.costs[number], number)
            # What was proven of it before still holds: nothing else is pinned.
            found = replace(found, bound=max(found.bound, self.found[number].bound))
            if self._steps(number, found.best) < self._steps(number, before.best):
                del stages[number + 1 :], self.found[number:], self.ended[number:]
                found = self._go_on(stages, number, found)
            else:
                self.found[number] = replace(found, best=before.best)
                number += 1
            if found.interrupted:
                return

    def _all_fit(self, number: int) -> bool:
        """Tell whether a level can be searched again, and then those after it for as long as they took.

        Else a level might win little, and those after it have no time to be more than a first placement.
        """
        after = self.ended[-1] - self.ended[number]
        return (1 - tuning.LEVELS_SHARE_OF_TIME) * self.search.deadline.remaining() >= after

    def _steps(self, number: int, replicas: Whole | None) -> int:
        """Return the cost of a placement, which has to be there, on a level, in steps."""
        if replicas is None:
            raise InternalError("a level has lost the placement of the levels before")
        return self.costs[number].steps(replicas)

    def _go_on(self, stages: list[_Stage], number: int, found: Incumbent) -> Incumbent:
        """Minimise the levels after one of which something is found; return what was found for the last."""
        stages.append(self._after(stages[-1], number, found))
        for later in range(number + 1, len(self.costs)):
            if found.interrupted or not self.search.deadline.remaining():
                break
            found = self._minimise(stages[-1], self.costs[later], later)
            stages.append(self._after(stages[-1], later, found))
        return found

    def _is_left(self, times: float) -> bool:
        """Tell whether more time is left than a multiple of what was used."""
        return self.search.deadline.remaining() > times * (now() - self.started)

    def _minimise(self, stage: _Stage, cost: BatchLevel, number: int) -> Incumbent:
        """Minimise a level in its share of the time."""
        after = followers(self.costs, number)
        model = model_of(stage.batch, cost, stage.pins)
        guide = self._guide(stage, cost, after)
        pinned = [each for each, _ in stage.pins]
        tried = [] if stage.guided is None else after_guide(stage.guided, pinned, model)
        if guide is None and not number and self.worth:
            tried = [Prices.of(model, self.worth)]
        until = self._until(number, len(after), guided=stage.guided is not None)
        search = self.search.until(until)
        return minimise(model, stage.best, search, self._teller(cost), tried, guide, cost.enough)

    def _guide(self, stage: _Stage, cost: BatchLevel, after: Sequence[BatchLevel]) -> Surrogate | None:
        """Return by what placements are searched where the level alone does not say where replicas stand."""
        if len(stage.batch.keys) > tuning.MANY_ROWS:
            return None
        deviations = [each for each in self.costs if each.level.base in DEVIATIONS]
        latest = self.search.deadline.part(tuning.LEVELS_SHARE_OF_TIME)
        if not cost.shape.starts and deviations:
            return straight_guide(stage.batch, stage.pins, cost, after, deviations, latest)
        if not after and stage.guided is None:
            return None
        share = tuning.SHARE if stage.guided is None else tuning.LATER_SHARE
        model = model_of(stage.batch, guide_of(stage.batch, cost, after, share), stage.pins)
        pinned = tuple(each for each, _ in stage.pins)
        guide = Surrogate(cost, pinned, model, latest, share * cost.scale, bool(after))
        priorities = np.array([each.priority for each in self.batch.problem.workloads])
        higher = priorities[priorities > cost.level.priority]
        if not len(higher) or not self._is_left(tuning.WORTH_FREEZING):
            return guide
        return replace(guide, settled=priorities > higher.min(), urgent=priorities == higher.min())

    def _after(self, stage: _Stage, number: int, found: Incumbent) -> _Stage:
        """Note how far a level got and pin it; leave out what no placement holds that is as good."""
        cost = self.costs[number]
        steps = max(self._steps(number, found.best), cost.enough(found.bound))
        self.found.append(found)
        self.ended.append(now())
        batch = stage.batch
        if number < len(self.costs) - 1:
            lower, upper = ranges(model_of(batch, cost, stage.pins), found.prices, found.rows, steps)
            batch = replace(batch, lower=lower, upper=upper)
        pins = tuple(pin for pin in (*stage.pins, (cost, steps)) if can_break(batch, pin[0].shape, pin[1]))
        return _Stage(batch, pins, found.best, found.guided)

    @property
    def notes(self) -> list[LevelProof]:
        """How far the levels got."""
        return [self._note(number) for number in range(len(self.found))]

    def _note(self, number: int) -> LevelProof:
        """Return how far a level got."""
        cost, found = self.costs[number], self.found[number]
        steps, bound = self._steps(number, found.best), cost.bound(found.bound)
        tolerance = cost.tolerated(found.bound)
        proven = found.bound >= steps or (
            (cost.grain > 0 or tolerance > 0)
            and bound + tolerance >= Fraction(steps, cost.scale) + cost.constant
        )
        return LevelProof(bound, proven, cost.grain > 0, tolerance)

    def _until(self, number: int, followed: int, *, guided: bool) -> Deadline:
        """Return when a level is to be done; the first of a kind has an even share of the time."""
        after = len(self.costs) - number - 1
        if after <= 0:
            return self.search.deadline
        share = tuning.LEVELS_SHARE_OF_TIME if after > followed else 1.0
        part = tuning.SHARE_OF_LATER if guided and followed else 1 / (followed + 1)
        return self.search.deadline.part(share * part)

    def _teller(self, cost: BatchLevel) -> OnProgress | None:
        """Return a function that reports on a level; None where nobody listens."""
        report = self.search.progress
        if report is None:
            return None

        def tell(steps: int | None, bound: int) -> None:
            value = None if steps is None else Fraction(steps, cost.scale) + cost.constant
            seconds = now() - self.started
            report(progress_of(cost.level.name, value, max(cost.bound(bound), Fraction(0)), seconds))

        return tell


def _over_quota(part: Problem) -> bool:
    """Tell whether the replicas of a namespace ask for more than its quota allows, wherever they stand."""
    return any(
        sum(needs(each)[name] * each.replicas for each in askers(allowance.rule, name, part)) > left
        for allowance in part.allowances
        for (name, cluster), left in allowance.left.items()
        if cluster is None
    )


def _concluded(
    problem: Problem, placement: Placement, notes: Sequence[LevelProof], search: Search
) -> LexicographicResult:
    """Return the result, ties settled where every level is proven.

    Levels without a note are as they are, and not proven. InternalError where the placement breaks a rule: a
    bug.
    """
    broken = check(problem, placement)
    if broken:
        raise InternalError(f"the placement of a batch breaks a rule: {broken[0]}")
    levels = attained(problem, placement, notes)
    if not all(level.proven for level in levels):
        return LexicographicResult(Status.FEASIBLE, placement, levels)
    loose = any(level.tolerance for level in levels)
    if loose or len(problem.workloads) * len(problem.clusters) > tuning.MOST_SETTLED:
        return LexicographicResult(Status.OPTIMAL, placement, levels)
    tied = _settled(problem, placement, search)
    if tuple(level.value for level in score(problem, tied.placement)) != tuple(
        level.value for level in levels
    ):
        raise InternalError("settling ties has changed a level")
    return LexicographicResult(Status.OPTIMAL, tied.placement, levels, tied.certain)


def _settled(problem: Problem, placement: Placement, search: Search) -> TieBreak:
    """Return, of all placements that are as good on every level, the one that comes first."""
    encoding = encode(problem, centres=placement, in_time=lambda: search.deadline.remaining() > 0)
    if encoding is None:
        return TieBreak(placement, certain=False)
    for level, cost in encoding.levels.items():
        if not cost.exact:
            return TieBreak(placement, certain=False)
        encoding.pin(level, cost.steps(placement))
    return settle(encoding, placement, search.single())
