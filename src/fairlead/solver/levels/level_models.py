"""Models between levels: what is known while levels are solved, and CP-SAT run on it."""

from collections.abc import Mapping
from fractions import Fraction

from fairlead.encoders.balance import steps_up_to
from fairlead.encoders.convex import Term
from fairlead.encoders.costs import LevelCost, PeakCost
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.registry import encode
from fairlead.encoders.scale import LARGEST
from fairlead.encoders.selection import Group
from fairlead.encoders.variables import Place, Range
from fairlead.models import blame
from fairlead.models.errors import InternalError
from fairlead.models.levels import BALANCE, Level
from fairlead.models.score import value_of
from fairlead.models.shortfall import refused
from fairlead.solver.answers.attainment import Note
from fairlead.solver.exact.ranges import within_peaks
from fairlead.solver.levels.level_bounds import LevelBounds
from fairlead.solver.levels.stages import polished
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.effort import Effort, Finding, Verdict
from fairlead.solver.running.engine import run

# One worker tries first: most models are settled by then, and several workers begin anew and need more for
# the same. That is so much work, about two seconds, and this part of a level's time at most.
FIRST_WORK = 0.5
FIRST_TRY = 0.5


class LevelModels(LevelBounds):
    """Models of levels, and CP-SAT run on them."""

    __slots__ = ()

    def _encode(self, ranges: Mapping[Place, Range] | None = None) -> Encoding | None:
        """Return a model in the given or the known ranges, with all pins; None where time ran out."""
        encoding = encode(
            self.problem,
            ranges or self.ranges,
            self.start or self.best,
            held=self.held,
            in_time=self._in_time,
        )
        if encoding is not None:
            for level, steps in self.pins:
                encoding.pin(level, steps)
                if level in self.pinned_apart:
                    encoding.pin_apart(level, self.pinned_apart[level])
            for group, replicas in self.fixed:
                encoding.model.add(encoding.selection.total(group) == replicas)
        return encoding

    def _find_any(self, encoding: Encoding) -> Verdict:
        """Find any placement; tell what the solver says."""
        finding = self._run(encoding, [], Effort(self.deadline, 1, self.seed))
        if finding.values is not None:
            self._take(encoding, finding, None)
        return finding.verdict

    def _minimise_group(self, group: Group, factor: int = 1) -> None:
        """Find a placement with the fewest replicas on a set of clusters, or the most: factor -1."""
        encoding = self._encode()
        if encoding is not None:
            finding = self._run(
                encoding, [(encoding.selection.total(group), factor)], Effort(self.deadline, 1, self.seed)
            )
            if finding.values is not None:
                variables = [variable for _, variable in encoding.variables.made()]
                found = encoding.read(variables, finding.values)
                if self._is_better(encoding, found, None):
                    self.best = found

    def _solve(self, encoding: Encoding, level: Level, deadline: Deadline) -> tuple[Verdict, int | None]:
        """Minimise a level until no cost is underestimated; return what is known, and the bound in steps."""
        target = self.targets.get(level)
        cost = encoding.levels[level]
        terms, offset = cost.terms()
        aim = None if target is None else steps_up_to(cost, target.value)
        if aim is not None:
            most = LARGEST if self.best is None else cost.steps(self.best)
            terms, offset = encoding.at_least(level, aim, most), 0
        efforts = self._efforts(deadline, fixed=target is not None)
        effort = efforts.pop(0)
        bound: int | None = None
        while True:
            finding = self._run(encoding, terms, effort)
            if finding.bound is not None and (aim is None or finding.bound > aim):
                bound = finding.bound + offset if bound is None else max(bound, finding.bound + offset)
            refined = finding.values is not None and self._take(encoding, finding, level)
            settled = finding.verdict in (Verdict.OPTIMAL, Verdict.INFEASIBLE)
            if not settled and target is not None and self.best is not None:
                known = [] if bound is None else [cost.value(bound)]
                if self._is_enough(level, known, tried=bool(efforts) and not refined):
                    return finding.verdict, bound
                aim = steps_up_to(cost, self.targets[level].value)
            if refined:
                continue
            self._price_between(level, settled=settled or not efforts)
            if finding.verdict is Verdict.OPTIMAL and target is None and not self.restricted:
                self._agree(level, cost, bound)
            if settled or not efforts:
                return finding.verdict, bound if terms else offset
            effort = efforts.pop(0)
            if aim is not None and self.best is not None:
                terms = encoding.at_least(level, aim, cost.steps(self.best))

    def _agree(self, level: Level, cost: LevelCost, bound: int | None) -> None:
        """Compare what CP-SAT was told of a cost from outside with what the best placement costs."""
        if level.title and bound is not None and self.best is not None:
            told, value = cost.value(bound), value_of(self.problem, self.best, level)
            if told != value:
                raise blame.priced_otherwise(level, self.problem, told, value)

    def _efforts(self, deadline: Deadline, *, fixed: bool) -> list[Effort]:
        """Return how hard to try in turn: one worker for a short while, then all of them.

        Where a level has a tolerance the first try ends by its work alone: what that finds does not depend
        on the machine.
        """
        last = Effort(deadline, self.workers, self.seed)
        if self.tried:
            return [last]
        first = Effort(deadline if fixed else deadline.part(FIRST_TRY), 1, self.seed, work=FIRST_WORK)
        return [first, last] if fixed or self.workers > 1 else [last]

    def _run(self, encoding: Encoding, terms: list[Term], effort: Effort) -> Finding:
        """Run CP-SAT, starting from the best placement."""
        variables = [variable for _, variable in encoding.variables.made()]
        near = self.best or self.near
        hint = encoding.values(near) if near is not None else []
        return run(encoding.model, variables, terms, hint, effort)

    def _take(self, encoding: Encoding, finding: Finding, level: Level | None) -> bool:
        """Keep what was found if it is better; tell whether a cost was underestimated there."""
        variables = [variable for _, variable in encoding.variables.made()]
        found = encoding.read(variables, finding.values or ())
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

    def _sharpen(self, peak: PeakCost, bound: Fraction) -> Note:
        """Prove the greatest distance of one workload exactly: look for anything below it."""
        while self.best is not None:
            limit = peak.exactly(self.best.of(peak.workload))
            below = within_peaks(self.ranges, [peak], limit, strictly=True)
            verdict = Verdict.INFEASIBLE
            if all(lower <= upper for lower, upper in below.values()):
                encoding = self._encode(below)
                if encoding is None:
                    break
                finding = self._run(encoding, [], Effort(self.deadline, 1, self.seed))
                verdict = finding.verdict
                if finding.values is not None:
                    self._take(encoding, finding, None)
                    continue
            if verdict is not Verdict.INFEASIBLE:
                break
            self.ranges = within_peaks(self.ranges, [peak], limit, strictly=False)
            return Note(limit, proven=True)
        return Note(bound, proven=True, exact=False)
