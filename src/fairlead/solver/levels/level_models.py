"""Models between levels: what is known while levels are solved, and CP-SAT run on it."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from fairlead.encoders.convex import Term
from fairlead.encoders.costs import LevelCost, PeakCost
from fairlead.encoders.encoding import Encoding, weighted
from fairlead.encoders.registry import encode
from fairlead.encoders.scale import LARGEST, Held
from fairlead.encoders.variables import Interval, Place, PlaceSet, replicas_at
from fairlead.models import blame
from fairlead.models.errors import InternalError
from fairlead.models.levels import BALANCE, Level
from fairlead.models.rules import Weights
from fairlead.models.score import value_of
from fairlead.models.shortfall import refused
from fairlead.models.workload import Workload
from fairlead.solver.answers.attainment import LevelProof
from fairlead.solver.columns.rounding import FAR
from fairlead.solver.levels.level_bounds import LevelBounds
from fairlead.solver.levels.polishing import polished
from fairlead.solver.levels.priced_lines import priced_lines
from fairlead.solver.levels.ranges import beyond_tiers, held_by_tiers, held_in, open_places, within_peaks
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.engine import run
from fairlead.solver.running.search import RunLimits, RunResult, Verdict

# One worker tries first: most models are settled by then, and several workers begin anew and need more for
# the same. That is so much work, a fraction of a second, and this part of a level's time at most.
FIRST_WORK = 0.2
FIRST_TRY = 0.5
# How much work it is to look near the best placement for better ones, how often at most, and which part of
# what is missing that has to close to be done again.
NEARBY_WORK = 0.4
NEARBY = 2
WORTH = 0.125
# Without a limit of time, how much work a try of all workers may be: twice as much each time, as long as one
# leaves no more than this part of what was missing before it. So a search ends by itself.
SLICE = 8.0
LEFT = 0.5
# So near to its bound, as a part of its value, a level waits for those after it.
NEAR = Fraction(1, 100)
# Where what overflow tiers hold is open, so many clusters times totals at most are a part of one search.
MOST_OPEN = 1500


class LevelModels(LevelBounds):
    """Models of levels, and CP-SAT run on them."""

    __slots__ = ()

    def _encode(
        self, ranges: Mapping[Place, Interval] | None = None, level: Level | None = None
    ) -> Encoding | None:
        """Return a model in the given or the known ranges, with all pins; None where time ran out.

        Of the level that is to be minimised nothing is in it that costs more than the best placement.
        """
        encoding = encode(
            self.problem,
            ranges or self.ranges,
            self.start or self.best,
            held=self.held,
            filled=self._filled(level),
            in_time=self._in_time,
        )
        if encoding is not None:
            for pinned, steps in self.pins:
                encoding.pin(pinned, steps)
                if pinned in self.pinned_apart:
                    encoding.pin_apart(pinned, self.pinned_apart[pinned])
            for group, replicas in self.fixed:
                encoding.model.add(encoding.selection.total(group) == replicas)
            # Of balance they tell little, and cost more than that.
            if level is not None and level in self.branches and level not in self.targets:
                for terms, least in priced_lines(encoding, self.branches[level]):
                    encoding.imply(weighted(terms) >= least)
        return encoding

    def _find_any(self, encoding: Encoding) -> Verdict:
        """Find any placement; tell what the solver says."""
        finding = self._run(encoding, [], RunLimits(self.deadline, 1, self.seed))
        if finding.values is not None:
            self._take(encoding, finding, None)
        return finding.verdict

    def _minimise_group(self, group: PlaceSet, factor: int = 1) -> None:
        """Find a placement with the fewest replicas on a set of clusters, or the most: factor -1."""
        encoding = self._encode()
        if encoding is not None:
            finding = self._run(
                encoding, [(encoding.selection.total(group), factor)], RunLimits(self.deadline, 1, self.seed)
            )
            if finding.values is not None:
                found = encoding.read(finding.values)
                if self._is_better(encoding, found, None):
                    self.best = found

    def _look_at_tiers(self) -> None:
        """Find out how many replicas overflow tiers may hold, so that the shares of that can be measured.

        The levels of the tiers leave one workload no choice where they come first. What is left open is a
        part of the search. Only where that is too much it is settled before, and nothing after it is proven
        by search.
        """
        tiered = [
            each for each in self.problem.workloads if any(rule.tiers for rule in each.rules_of(Weights))
        ]
        self.held = self._tier_totals() if tiered and self.ranges else {}
        if open_places(tiered, self.held) > MOST_OPEN:
            self._settle_tiers(tiered)
        if tiered:
            self.outline = encode(self.problem, self.ranges, self.best, held=self.held, in_time=self._in_time)

    def _tier_totals(self) -> Held:
        """Return how many replicas overflow tiers may hold, of all that is known."""
        noted = zip(self.levels, self.notes, strict=False)
        bounds = {level: note.bound for level, note in noted}
        pinned = {level: (bounds.get(level) or 0, steps) for level, steps in self.pins}
        return held_by_tiers(self.problem, self.ranges, self.totals, pinned)

    def _settle_tiers(self, tiered: Sequence[Workload]) -> None:
        """Settle what every overflow tier holds without proof.

        The more urgent workloads decide first, tier by tier; in a partial problem how many replicas they get
        at all before that.
        """
        if self.best is None and (encoding := self._encode()) is not None:
            self._find_any(encoding)
        if self.best is None:
            return
        self.restricted = True
        for workload in sorted(tiered, key=lambda each: (-each.priority, each.key)):
            if self.problem.partial:
                everywhere = PlaceSet(workload.key, frozenset(self.problem.cluster_by_name))
                self._minimise_group(everywhere, -1)
                self.fixed.append((everywhere, replicas_at(self.best, everywhere)))
            for group in beyond_tiers(workload):
                self._minimise_group(group)
                self.fixed.append((group, replicas_at(self.best, group)))
        self.held = held_in(self.best, tiered)

    def _solve(self, encoding: Encoding, level: Level, deadline: Deadline) -> tuple[Verdict, int | None]:
        """Minimise a level until no cost is underestimated; return what is known, and the bound in steps."""
        target = self.targets.get(level)
        cost = encoding.levels[level]
        terms, offset = cost.terms()
        aim = None if target is None else cost.steps_up_to(target.value)
        if aim is not None:
            most = LARGEST if self.best is None else cost.steps(self.best)
            terms, offset = encoding.at_least(level, aim, most), 0
        self._look_nearby(encoding, level, terms, deadline)
        effort = self._first_effort(deadline, fixed=target is not None)
        bound: int | None = None
        missing = self._missing(level, cost, bound)
        while True:
            finding = self._run(encoding, terms, effort)
            if finding.bound is not None and (aim is None or finding.bound > aim):
                bound = finding.bound + offset if bound is None else max(bound, finding.bound + offset)
            refined = finding.values is not None and self._take(encoding, finding, level)
            settled = finding.verdict in (Verdict.OPTIMAL, Verdict.INFEASIBLE)
            following = None if settled else self._following(effort, deadline)
            # Where prices are asked early, what is within the tolerance of a bound needs no more lines.
            unsure = not settled or (refined and self._is_large())
            if unsure and target is not None and self.best is not None:
                known = [] if bound is None else [cost.value(bound)]
                # Under a limit of time, CP-SAT with the new lines comes before more prices.
                again = following is not None and (not refined or not math.isinf(following.work))
                if self._is_enough(level, known, tried=again):
                    return finding.verdict, bound
                aim = cost.steps_up_to(self.targets[level].value)
            if refined and settled and not self._is_bounded(cost, bound):
                continue
            waits = bound is not None and self._may_wait(level, cost.value(bound))
            gives_up = effort.work >= SLICE and self._missing(level, cost, bound) > LEFT * missing
            ends = following is None or waits or gives_up
            # What one worker did not settle in a short while, several may: before that prices tell no more.
            self._price_between(level, settled=ends or effort.work < SLICE)
            if finding.verdict is Verdict.OPTIMAL and target is None and not self.restricted:
                self._agree(level, cost, bound)
            if following is None or ends or self._is_least(level):
                return finding.verdict, bound if terms else offset
            effort, missing = following, self._missing(level, cost, bound)
            if aim is not None and self.best is not None:
                terms = encoding.at_least(level, aim, cost.steps(self.best))

    def _may_wait(self, level: Level, bound: int | Fraction = 0) -> bool:
        """Tell whether a level is so near to a bound that levels after it come first.

        Before the first level with a target all were searched already, with more time.
        """
        if self.best is None or self.tried or level == self.levels[-1]:
            return False
        if self.targets and self.targets.keys().isdisjoint(self.levels[: self.levels.index(level) + 1]):
            return True
        if self.deadline.limit is None:
            return False
        return self._is_near(level, max(bound, self.priced.get(level, bound)))

    def _is_near(self, level: Level, bound: int | Fraction | None) -> bool:
        """Tell whether the best placement is so near to a bound of a level that little can be won.

        Of what the level costs in all: of those that are searched it may be a small part.
        """
        if self.best is None or bound is None:
            return False
        value = value_of(self.problem, self.best, level)
        return value - bound <= NEAR * (value + self.elsewhere.get(level, 0))

    def _is_least(self, level: Level) -> bool:
        """Tell whether a level costs what it costs at least, or what prices tell of it."""
        known = (0, self.priced.get(level))
        return self.best is not None and value_of(self.problem, self.best, level) in known

    def _is_bounded(self, cost: LevelCost, bound: int | None) -> bool:
        """Tell whether the best placement costs no more than a bound, in steps: no other is better."""
        return self.best is not None and bound is not None and cost.steps(self.best) <= bound

    def _agree(self, level: Level, cost: LevelCost, bound: int | None) -> None:
        """Compare what CP-SAT was told of a cost from outside with what the best placement costs."""
        if level.title and bound is not None and self.best is not None:
            told, value = cost.value(bound), value_of(self.problem, self.best, level)
            if told != value:
                raise blame.priced_otherwise(level, self.problem, told, value)

    def _look_nearby(self, encoding: Encoding, level: Level, terms: list[Term], deadline: Deadline) -> None:
        """Look near the best placement for better ones; again where a cost was underestimated or much won.

        Only of deviations after balance, the first time, where much is missing. Nothing else finds so much so
        soon there, and a single worker does not do it by itself.
        """
        if self.tried or level in self.targets or not self._is_priced_first(level) or self.best is None:
            return
        cost, value = encoding.levels[level], value_of(self.problem, self.best, level)
        effort = RunLimits(deadline.part(FIRST_TRY), 1, self.seed, NEARBY_WORK, thorough=True, nearby=True)
        for _ in range(NEARBY):
            missing = self._missing(level, cost, None)
            finding = self._run(encoding, terms, effort) if missing > FAR * value else None
            if finding is None or finding.values is None:
                return
            refined = self._take(encoding, finding, level)
            if not refined and missing - self._missing(level, cost, None) <= WORTH * missing:
                return

    def _first_effort(self, deadline: Deadline, *, fixed: bool) -> RunLimits:
        """Return how hard to try at first: one worker for a short while, unless that was tried before.

        Where a level has a tolerance that ends by its work alone: what it finds does not depend on the
        machine.
        """
        if self.tried:
            return self._all_workers(deadline, SLICE)
        return RunLimits(deadline if fixed else deadline.part(FIRST_TRY), 1, self.seed, work=FIRST_WORK)

    def _following(self, effort: RunLimits, deadline: Deadline) -> RunLimits | None:
        """Return how hard to try after a search that settled nothing; None where that was the last one."""
        return None if math.isinf(effort.work) else self._all_workers(deadline, max(SLICE, 2 * effort.work))

    def _all_workers(self, deadline: Deadline, work: float) -> RunLimits:
        """Return an effort of all workers: so much work, or until time is over where it is limited."""
        limited = deadline.limit is not None
        return RunLimits(deadline, self.workers, self.seed, math.inf if limited else work, thorough=True)

    def _missing(self, level: Level, cost: LevelCost, bound: int | None) -> Fraction | float:
        """Return how far the best placement is above what would be enough of a level, as far as is known."""
        if self.best is None:
            return math.inf
        value = Fraction(value_of(self.problem, self.best, level))
        if level in self.targets:
            return value - Fraction(self.targets[level].value)
        return value - max(0, self.priced.get(level, 0), 0 if bound is None else cost.value(bound))

    def _run(self, encoding: Encoding, terms: list[Term], effort: RunLimits) -> RunResult:
        """Run CP-SAT, starting from the best placement."""
        near = self.best or self.near
        hint = encoding.values(near) if near is not None else []
        return run(encoding.model, encoding.replica_variables, terms, hint, effort)

    def _take(self, encoding: Encoding, finding: RunResult, level: Level | None) -> bool:
        """Keep what was found if it is better; tell whether a cost was underestimated there."""
        found = encoding.read(finding.values or ())
        broken = refused(self.problem, found)
        if broken:
            raise blame.broken("CP-SAT's placement", broken[0], self.problem)
        refined = encoding.refine(found)
        if self._is_better(encoding, found, level):
            self.best = found
        return refined

    def _polish(self, outline: Encoding, level: Level) -> None:
        """Let every workload stand as well as the others let it: a search cares for one level only.

        Not from balance on: where one stands best knows nothing of it.
        """
        best = self.best
        if BALANCE in self.levels and self.levels.index(level) >= self.levels.index(BALANCE):
            return
        if best is None or best == self.polished or self.problem.partial or len(self.problem.workloads) == 1:
            return
        found = polished(self.problem, best)
        values = (value_of(self.problem, found, level) for level in self.levels)
        known = (value_of(self.problem, best, level) for level in self.levels)
        gains = next((new < old for new, old in zip(values, known, strict=True) if new != old), False)
        if gains and self._is_better(outline, found, None) and self._is_inside(found):
            self.best = found
        self.polished = self.best

    def _is_enough(self, level: Level, known: list[Fraction], *, tried: bool) -> bool:
        """Raise a target to the bounds that are known; tell whether the best placement reaches it then.

        Only where the best is not found: else targets depend on nothing but the problem. Once that was tried,
        balance is bounded by prices as well.
        """
        if tried and level == BALANCE:
            self._price(level)
        for bound in known:
            self.targets = {**self.targets, level: self.targets[level].raised(bound)}
        return self.best is not None and value_of(self.problem, self.best, level) <= self.targets[level].value

    def _refuted(self) -> bool:
        """Return that there is no placement, unless one is known."""
        if self.best is not None:
            raise InternalError("CP-SAT calls a problem infeasible of which a placement is known")
        return False

    def _sharpen(self, peak: PeakCost, bound: Fraction) -> LevelProof:
        """Prove the greatest distance of one workload exactly: look for anything below it."""
        while self.best is not None:
            limit = peak.exactly(self.best.of(peak.workload))
            below = within_peaks(self.ranges, [peak], limit, strictly=True)
            verdict = Verdict.INFEASIBLE
            if all(lower <= upper for lower, upper in below.values()):
                encoding = self._encode(below)
                if encoding is None:
                    break
                finding = self._run(encoding, [], RunLimits(self.deadline, 1, self.seed))
                verdict = finding.verdict
                if finding.values is not None:
                    self._take(encoding, finding, None)
                    continue
            if verdict is not Verdict.INFEASIBLE:
                break
            self.ranges = within_peaks(self.ranges, [peak], limit, strictly=False)
            return LevelProof(limit, proven=True)
        return LevelProof(bound, proven=True, exact=False)
