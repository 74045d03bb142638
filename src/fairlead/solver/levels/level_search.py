"""The search behind the levels: what each of them proves narrows ranges and is pinned for the next."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from fairlead.encoders.convex import ConvexFunction
from fairlead.encoders.costs import LevelCost
from fairlead.encoders.registry import encode
from fairlead.encoders.variables import Place
from fairlead.models.errors import InternalError
from fairlead.models.levels import DEVIATIONS, NET, Level
from fairlead.models.outcome import Attained, Status
from fairlead.models.score import value_of
from fairlead.models.shortfall import refused
from fairlead.solver.answers.attainment import LevelProof, LexicographicResult, attained, bounded, status_of
from fairlead.solver.levels.level_models import LevelModels
from fairlead.solver.levels.ranges import (
    placement_of,
    shares_of,
    totals_known,
    within_peaks,
    within_totals,
)
from fairlead.solver.levels.relaxed_shares import Functions, LevelShare, ShareOptimum, relax_all, tighten
from fairlead.solver.levels.ties import settle
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import RunLimits, Verdict

# Of the time that is left, what a level may use while others wait.
SHARE_OF_TIME = 0.6


class LevelSearch(LevelModels):
    """The search: level after level narrows what placements may be."""

    __slots__ = ()

    def open(self) -> bool:
        """Encode the problem for the first time; tell whether every place is left a number of replicas."""
        if not self._in_time():
            return True
        self.outline = encode(self.problem, in_time=self._in_time)
        if self.outline is None:
            return True
        variables = self.outline.variables
        self.ranges = within_totals(
            shares_of(self.problem), {place: variables.range(place) for place in variables.places()}
        )
        if self.best is not None and not self._is_inside(self.best):
            self.best = self.floor = None
        return variables.empty is None and (self.best is not None or self._start())

    def _start(self) -> bool:
        """Divide every workload by itself, as a start; tell whether that can be done at all."""
        functions: dict[Place, ConvexFunction] = {}
        if self.outline is not None and self.outline.levels:
            first = min(self.outline.levels, key=self.levels.index)
            functions = self.outline.levels[first].functions()
        found = relax_all(shares_of(self.problem), functions, self.ranges)
        if found is None:
            return False
        self.start = placement_of(found)
        if not refused(self.problem, self.start):
            self.best = self.start
        return True

    def minimise(self, level: Level, *, last: bool) -> bool:
        """Minimise one level and pin it; tell whether a placement can exist."""
        note = self._note(level, None)
        if self.outline is not None and not note.proven:
            if self.floor is not None and self._is_better(self.outline, self.floor, level):
                # It was given up for a level that may be within a tolerance, where it is good enough too.
                self.best = self.floor
            self._polish(self.outline, level)
        if level.base in (NET, *DEVIATIONS) and self.held is None:
            self._look_at_tiers()
        if self.outline is not None:
            cost = self.outline.levels[level]
            least = self._narrow(cost, self._most_of(level, cost))
            note = self._note(level, None if self.restricted else least)
            if not note.proven:
                self._price_first(level)
                note = self._note(level, None if self.restricted else least)
            before = self._most_of(level, cost)
            self._narrow_at_prices(level, before)
            waits = note.proven or self._may_wait(level) or (self.best is not None and self.is_over(level))
            encoding = None if waits else self._encode(level=level)
            if encoding is not None:
                verdict, bound = self._solve(encoding, level, self._time_for(level, last=last))
                if verdict is Verdict.INFEASIBLE:
                    return self._refuted()
                known = max((at for at in (bound, least) if at is not None), default=None)
                # What was found where tiers hold what was settled bounds no other placement.
                note = self._note(level, None if self.restricted else known)
            pin = self._pin_of(level, cost)
            if pin is not None:
                if pin != before:
                    self._narrow_at_prices(level, pin)
                self._pin(level, pin, proven=note.proven)
        self.notes.append(self._raised(level, note))
        return True

    def _pin(self, level: Level, steps: int, *, proven: bool) -> None:
        """Let a level cost so many steps at most from now on."""
        if self.outline is None:
            return
        self.pins.append((level, steps))
        if proven and level not in self.targets:
            self.totals |= totals_known(self.problem, level, steps)
        self._narrow(self.outline.levels[level], steps)
        self._pin_apart(level, self.outline.levels[level])
        self.start = self.best

    def pinned(self, level: Level) -> Fraction | None:
        """Return the pin of a level, in its unit; None where it has none."""
        steps = dict(self.pins).get(level)
        return None if steps is None or self.outline is None else self.outline.levels[level].value(steps)

    def _raised(self, level: Level, note: LevelProof) -> LevelProof:
        """Return how far a level got with what else is known of it; keep its bound for who searches again."""
        known = self.priced.get(level)
        if not note.proven and level not in self.targets and known is not None and (note.bound or 0) < known:
            return LevelProof(known)
        if note.bound is not None and not self.restricted:
            bound = Fraction(note.bound)
            self.priced[level] = bound if known is None else max(bound, known)
        return note

    def _pin_of(self, level: Level, cost: LevelCost) -> int | None:
        """Return the most at which levels after one may leave it, in steps; None where no placement is known.

        That is its target where the best placement reaches it, else what that costs.
        """
        if self.best is None:
            return None
        steps = cost.steps(self.best) + cost.spare
        target = self.targets.get(level)
        return steps if target is None else max(steps, cost.steps_up_to(target.value))

    def _most_of(self, level: Level, cost: LevelCost) -> int | None:
        """Return the most that a level may cost while it is searched, in steps; None where that is not known.

        A target may still be raised: what is beyond it now is not out of question.
        """
        return None if level in self.targets else self._pin_of(level, cost)

    def settle(self, *, ties: bool) -> LexicographicResult:
        """Return the result; where every level is proven with ties settled, unless any answer will do."""
        settled = False
        encoding = self._encode() if all(note.proven for note in self.notes) else None
        if encoding is not None:
            if self.best is None and self._find_any(encoding) is Verdict.INFEASIBLE:
                return LexicographicResult(Status.INFEASIBLE, None)
            if self.best is not None and ties:
                # What follows balance is searched anew with it, and so are ties.
                tied = settle(encoding, self.best, RunLimits(self.later or self.deadline, 1, self.seed))
                if self._keeps(tied.placement):
                    self.best, settled = tied.placement, tied.certain and not self.restricted
        if self.best is None:
            return LexicographicResult(Status.UNKNOWN, None)
        levels = self.attained()
        return LexicographicResult(status_of(levels), self.best, levels, settled)

    def copied(self, later: "LevelSearch | None" = None) -> "LevelSearch":
        """Return the search as it is now, to go on from here; once more with what was found later."""
        known = later or self
        return replace(
            self,
            best=known.best,
            ranges=dict(self.ranges),
            pins=list(self.pins),
            pinned_apart=dict(self.pinned_apart),
            fixed=list(self.fixed),
            notes=list(self.notes),
            totals=dict(self.totals),
            priced=dict(known.priced),
            branches=dict(known.branches),
            tried=later is not None,
        )

    def forget(self, levels: Iterable[Level]) -> None:
        """Forget bounds of levels that hold only for what levels before them were pinned to."""
        for level in levels:
            self.priced.pop(level, None)
            self.branches.pop(level, None)

    def attained(self) -> tuple[Attained, ...]:
        """Return the levels with the values of the best placement and what is proven of them."""
        if self.best is None:
            return ()
        return bounded(attained(self.problem, self.best, self.notes), self.relaxed)

    def _time_for(self, level: Level, *, last: bool) -> Deadline:
        """Return when a level has to end so that the others get their share."""
        due = self._due(level)
        noted = zip(self.levels, self.notes, strict=False)
        near = all(note.proven or self._is_near(level, note.bound) for level, note in noted)
        return due if self.best is None or (last and (self.tried or near)) else due.part(SHARE_OF_TIME)

    def _narrow(self, cost: LevelCost, most: int | None) -> int | None:
        """Leave out what no placement that costs so much at most can hold; return a bound in steps.

        None where the relaxation without shared rules tells nothing.
        """
        peaks, functions = cost.peaks(), cost.functions()
        if peaks and most is not None:
            limit = Fraction(most + 1, cost.scale)
            self.ranges = within_peaks(self.ranges, peaks, limit, strictly=True)
        rest = cost.rest()
        if not functions or rest is None:
            return None
        shares = shares_of(self.problem, self.totals)
        found = self._tighten(shares, functions, None if most is None else most - rest)
        self.start = placement_of(found)
        self.ranges = within_totals(shares, self.ranges)
        return sum(relaxed.cost for relaxed in found) + rest

    def _tighten(
        self, shares: Sequence[LevelShare], functions: Functions, most: int | None
    ) -> tuple[ShareOptimum, ...]:
        """Return the optima of workloads alone; leave out what costs more than so many steps."""
        found = relax_all(shares, functions, self.ranges)
        if found is None:
            raise InternalError("ranges were narrowed until they leave no placement")
        if most is not None:
            narrower = tighten(found, functions, self.ranges, most)
            if narrower is None:
                raise InternalError("a placement costs less than the relaxation that bounds it")
            self.ranges = {**self.ranges, **narrower}
        return found

    def _pin_apart(self, level: Level, cost: LevelCost) -> None:
        """Pin every workload by itself that costs on a level what it would cost alone."""
        best, count = self.best, self.levels.index(level) + 1
        if best is None or level not in self.apart or not self._reaches(count, best):
            return
        steps = {key: cost.most(key, best) for key in self.apart[level] if key in cost.parts}
        self.pinned_apart[level] = steps
        for share in shares_of(self.problem, self.totals):
            key = share.places[0].workload
            rest = cost.alone(key).rest()
            if key in steps and rest is not None:
                self._tighten([share], cost.alone(key).functions(), steps[key] - rest)
        self.ranges = within_totals(shares_of(self.problem, self.totals), self.ranges)

    def _note(self, level: Level, bound: int | None) -> LevelProof:
        """Return how far a level got whose cost has a bound, in steps."""
        if self.best is None:
            return LevelProof()
        value = value_of(self.problem, self.best, level)
        cost = None if self.outline is None else self.outline.levels[level]
        if level in self.targets:
            found = () if bound is None or cost is None else (cost.value(bound),)
            note = self.targets[level].note(value, (0, *found))
            if cost is None or cost.exact or bound is None or note.proven or cost.steps(self.best) > bound:
                return note
            # In steps it is at its best: what is missing is how coarse these are.
            return replace(note, proven=True, exact=False)
        relaxed = self._relaxed_at(level, self.best)
        if value in (0, self.priced.get(level)) or (relaxed is not None and value == relaxed.bound):
            return LevelProof(value, proven=True)
        if relaxed is not None and relaxed.proven and value == relaxed.value:
            return LevelProof(relaxed.bound, proven=True, exact=False)
        if cost is None or bound is None:
            return LevelProof()
        proven = cost.steps(self.best) <= bound
        if proven and not cost.exact and len(cost.costs) == 1 and cost.peaks():
            return self._sharpen(cost.peaks()[0], cost.value(bound))
        return LevelProof(cost.value(bound), proven, cost.exact)
