"""The algorithm for many workloads: prices, a bound, a placement, and exchanges until the two meet."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType

import numpy as np

from fairlead.encoders.registry import encode
from fairlead.models.check import check
from fairlead.models.errors import InternalError
from fairlead.models.levels import Level
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.progress import Progress
from fairlead.models.rules import Quota
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.quota import askers
from fairlead.models.score import score
from fairlead.solver.attainment import LexicographicResult, Note, attained_level
from fairlead.solver.batch.arrays import Batch, Whole, batch_of
from fairlead.solver.batch.bound import ranges
from fairlead.solver.batch.budgets import budgets_of
from fairlead.solver.batch.costs import LevelCost, costs_of, nothing
from fairlead.solver.batch.exchange import MANY_ROWS
from fairlead.solver.batch.guide import Guide, after_guide, followers, frozen_at, guide_of
from fairlead.solver.batch.known import Tell
from fairlead.solver.batch.minimising import Minimised, minimise
from fairlead.solver.batch.refuting import refuted
from fairlead.solver.batch.relaxation import Model, Prices, model_of
from fairlead.solver.deadline import Deadline
from fairlead.solver.dispensers import reference
from fairlead.solver.engine import Effort
from fairlead.solver.ties import Settled, settle

# Of the time that is left, what a level may use while others wait.
SHARE_OF_TIME = 0.6
# The time left, as a multiple of what levels before took, that is worth a search with frozen workloads.
WORTH_FREEZING = 3.0
# Of levels that are measured alike the first ones take more than their part, by this factor.
FIRST_MORE = 1.25
# The same for a proof that there is no placement.
REFUTING_SHARE = 0.1
# Ties are settled in batches of at most so many places.
MOST_SETTLED = 2000
# Where time is over the reference dispenser is still asked for so many workloads at most.
MOST_GREEDY = 2000


Report = Callable[[Progress], None]
Worth = Mapping[tuple[str, str], float]
"""What all that a cluster offers of a resource is worth, in units of a level, by cluster and resource."""


def solve_batch(
    part: Problem,
    deadline: Deadline,
    workers: int = 1,
    seed: int = 0,
    progress: Report | None = None,
    floor: Placement | None = None,
    near: Mapping[Level, Worth] = MappingProxyType({}),
) -> LexicographicResult:
    """Place many workloads that share capacity, level by level.

    Parameters
    ----------
    part
        The problem; `fairlead.solver.batch.arrays.applies` must hold.
    deadline
        When the answer is due.
    workers
        Threads.
    seed
        Random seed of what is drawn by lot.
    progress
        Called when the placement or the bound of a level gets better.
    floor
        A placement that the answer is not worse than; one that breaks a rule is not used.
    near
        What is shared is about worth so much on some levels.

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
    search = _Search(batch, costs_of(batch), deadline, workers, seed, progress, near)
    search.pins.extend(budgets_of(batch))
    if floor is not None and not check(part, floor):
        search.best = batch.matrix(floor)
    if search.best is None and refuted(batch, search.pins, deadline.part(REFUTING_SHARE)):
        return LexicographicResult(Status.INFEASIBLE, None)
    return search.result(search.run())


@dataclass(slots=True)
class _Search:
    """What is known while the levels are minimised."""

    batch: Batch
    costs: tuple[LevelCost, ...]
    deadline: Deadline
    workers: int
    seed: int
    progress: Report | None
    near: Mapping[Level, Worth]
    best: Whole | None = None
    pins: list[tuple[LevelCost, int]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    guided: tuple[Prices, Model] | None = None
    started: float = field(default_factory=time.monotonic)

    def run(self) -> Status:
        """Minimise every level in turn; INFEASIBLE is proven, all else is told by the notes."""
        if not self.costs:
            found = self._minimise(nothing(self.batch), 0)
            self.best = found.replicas
            return Status.INFEASIBLE if found.infeasible else Status.FEASIBLE
        for number, cost in enumerate(self.costs):
            found = self._minimise(cost, number)
            if found.infeasible:
                return self._refuted()
            if found.replicas is None and number == 0 and self._may_be_greedy(found):
                found = self._greedy(found)
            self._take(cost, found)
            if self.best is None or found.interrupted:
                return Status.UNKNOWN
        return Status.FEASIBLE

    def _minimise(self, cost: LevelCost, number: int) -> Minimised:
        """Minimise a level in its share of the time."""
        after = followers(self.costs, number)
        model = model_of(self.batch, cost, self.pins)
        guide = self._guide(cost, after)
        near = _prices(model, self.near.get(cost.level))
        tried = [] if near is None else [near]
        if self.guided is not None:
            tried = after_guide(*self.guided, model)
        until = self._until(number, len(after))
        found = minimise(model, self.best, until, self.workers, self.seed, self._teller(cost), tried, guide)
        self.guided = None if guide is None or found.guided is None else (found.guided, guide.model)
        if found.replicas is not None and number < len(self.costs) - 1:
            self._narrow(model, found)
        return found

    def _guide(self, cost: LevelCost, after: Sequence[LevelCost]) -> Guide | None:
        """Return by what placements are searched where several priorities are measured alike."""
        if (not after and self.guided is None) or len(self.batch.keys) > MANY_ROWS:
            return None
        by = guide_of(self.batch, cost, after)
        model = model_of(self.batch, by, self.pins)
        frozen: Model | None = model
        if self.best is not None:
            there_is_time = self.deadline.remaining() > WORTH_FREEZING * (time.monotonic() - self.started)
            batch, pins = frozen_at(self.batch, cost, self.pins, self.best)
            frozen = model_of(batch, by, pins) if there_is_time else None
        return Guide(model, frozen, self.deadline.part(SHARE_OF_TIME))

    def _narrow(self, model: Model, found: Minimised) -> None:
        """Leave out what no placement holds that is as good on a level."""
        if found.prices is not None and found.rows is not None and found.replicas is not None:
            cost = model.steps(found.replicas)
            lower, upper = ranges(model, found.prices, found.rows, cost)
            self.batch = replace(self.batch, lower=lower, upper=upper)

    def _until(self, number: int, followed: int) -> Deadline:
        """Return when a level is to be done; those of one kind share their time evenly."""
        after = len(self.costs) - number - 1
        if after <= 0:
            return self.deadline
        share = SHARE_OF_TIME if after > followed else 1.0
        return self.deadline.part(share * FIRST_MORE / (followed + 1))

    def _teller(self, cost: LevelCost) -> Tell | None:
        """Return what reports on a level; None where nobody listens."""
        report = self.progress
        if report is None:
            return None

        def tell(steps: int | None, bound: int) -> None:
            value = None if steps is None else Fraction(steps, cost.scale) + cost.constant
            least = cost.bound(bound)
            gap = None if value is None else float((value - least) / value) if value else 0.0
            report(Progress(cost.level.name, value, least, gap, time.monotonic() - self.started))

        return tell

    def _refuted(self) -> Status:
        """Return that there is no placement, unless one is known."""
        if self.best is not None:
            raise InternalError("a batch is called infeasible of which a placement is known")
        return Status.INFEASIBLE

    def _may_be_greedy(self, found: Minimised) -> bool:
        """Tell whether the reference dispenser is worth its time, which grows with the workloads."""
        return not found.interrupted and (self._in_time() or len(self.batch.keys) <= MOST_GREEDY)

    def _greedy(self, found: Minimised) -> Minimised:
        """Fall back on the reference dispenser where exchanges found nothing."""
        placement = reference.place(self.batch.problem)
        if check(self.batch.problem, placement):
            return found
        return replace(found, replicas=self.batch.matrix(placement))

    def _take(self, cost: LevelCost, found: Minimised) -> None:
        """Keep what was found for a level and pin it."""
        self.best = found.replicas
        if self.best is not None:
            steps = cost.steps(self.best)
            bound = cost.bound(found.bound)
            proven = found.bound >= steps or (
                cost.grain > 0 and bound >= Fraction(steps, cost.scale) + cost.constant
            )
            self.notes.append(Note(bound, proven, cost.grain > 0))
            self.pins.append((cost, steps))

    def result(self, status: Status) -> LexicographicResult:
        """Return what was found."""
        if status is Status.INFEASIBLE or self.best is None:
            return LexicographicResult(status if status is Status.INFEASIBLE else Status.UNKNOWN, None)
        problem = self.batch.problem
        placement = self.batch.placement(self.best)
        broken = check(problem, placement)
        if broken:
            raise InternalError(f"the placement of a batch breaks a rule: {broken[0]}")
        attained = tuple(
            attained_level(level, self.notes[number] if number < len(self.notes) else Note())
            for number, level in enumerate(score(problem, placement))
        )
        if not all(level.proven for level in attained):
            return LexicographicResult(Status.FEASIBLE, placement, attained)
        if self.batch.lower.size > MOST_SETTLED:
            return LexicographicResult(Status.OPTIMAL, placement, attained)
        tied = self._settled(placement)
        if tuple(level.value for level in score(problem, tied.placement)) != tuple(
            level.value for level in attained
        ):
            raise InternalError("settling ties has changed a level")
        return LexicographicResult(Status.OPTIMAL, tied.placement, attained, tied.certain)

    def _in_time(self) -> bool:
        """Tell whether there is time left."""
        return self.deadline.remaining() > 0

    def _settled(self, placement: Placement) -> Settled:
        """Return, of all placements that are as good on every level, the one that comes first."""
        encoding = encode(self.batch.problem, centres=placement, in_time=self._in_time)
        if encoding is None:
            return Settled(placement, certain=False)
        for level, cost in encoding.levels.items():
            if not cost.exact:
                return Settled(placement, certain=False)
            encoding.pin(level, cost.steps(placement))
        return settle(encoding, placement, Effort(self.deadline, 1, self.seed))


def _over_quota(part: Problem) -> bool:
    """Tell whether the replicas of a namespace ask for more than its quota allows, wherever they stand."""
    return any(
        scope.cluster is None and _asked_in_all(allowance.rule, scope.resource, part) > left
        for allowance in part.allowances
        for scope, left in allowance.left.items()
    )


def _asked_in_all(rule: Quota, resource: str, part: Problem) -> int:
    """Return what the workloads of a quota ask for together."""
    return sum(needs(each)[resource] * each.replicas for each in askers(rule, resource, part))


def _prices(model: Model, worth: Worth | None) -> Prices | None:
    """Return prices that make what is shared so much worth; None where nothing is known."""
    if worth is None:
        return None
    coupling = model.batch.coupling
    found = np.array([worth.get(name, 0.0) for name in coupling.names], dtype=np.float64)
    return Prices(found * model.unit / np.maximum(1, coupling.limit), np.zeros(len(model.pins)))


def worth_of(model: Model, prices: Prices) -> Worth:
    """Return what is shared in units of the level at prices."""
    coupling = model.batch.coupling
    found = prices.capacity * np.maximum(1, coupling.limit) / model.unit
    return dict(zip(coupling.names, found.tolist(), strict=True))
