"""The search behind the levels: the best placement, ranges, pins and bounds while CP-SAT runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from fairlead.encoders.balance import steps_up_to
from fairlead.encoders.convex import ConvexFunction, Term
from fairlead.encoders.costs import LevelCost
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.peak import PeakCost
from fairlead.encoders.registry import encode
from fairlead.encoders.scale import LARGEST, Held
from fairlead.encoders.selection import Group, replicas_at
from fairlead.encoders.variables import Place, Range
from fairlead.models.errors import InternalError
from fairlead.models.levels import DEVIATIONS, NET, Level
from fairlead.models.outcome import Attained, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Weights
from fairlead.models.score import levels_of, value_of
from fairlead.models.shortfall import refused
from fairlead.models.workload import Workload
from fairlead.solver.attainment import Least, LexicographicResult, Note, attained, bounded, status_of
from fairlead.solver.deadline import Deadline
from fairlead.solver.engine import Effort, Finding, Verdict, run
from fairlead.solver.pricing import relax_all, tighten
from fairlead.solver.ranges import (
    beyond_tiers,
    held_by_tiers,
    held_in,
    open_places,
    placement_of,
    shares_of,
    totals_known,
    within_peaks,
)
from fairlead.solver.targets import Targets
from fairlead.solver.ties import settle

# Of the time that is left, what a level may use while others wait.
SHARE_OF_TIME = 0.6
# One worker tries first, for this part of a level's time: most models are settled by then, and the other
# workers would only be in each other's way.
FIRST_TRY = 0.2
LONGEST_TRY = 2.0
# Work for a level that may be within a tolerance of its best; about as many seconds.
TOLERANT_WORK = 0.1
# Where what overflow tiers hold is open, so many clusters times totals at most are a part of one search.
MOST_OPEN = 1500


@dataclass(slots=True)
class LevelSearch:
    """What is known while the levels are solved: the best placement, ranges, pins and bounds."""

    problem: Problem
    least: Least
    deadline: Deadline
    workers: int
    seed: int
    relaxed: tuple[Attained, ...] = ()
    best: Placement | None = None
    near: Placement | None = None
    start: Placement | None = None
    outline: Encoding | None = None
    ranges: dict[Place, Range] = field(default_factory=dict)
    pins: list[tuple[Level, int]] = field(default_factory=list)
    fixed: list[tuple[Group, int]] = field(default_factory=list)
    held: Held | None = None
    restricted: bool = False
    notes: list[Note] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)
    targets: Targets = field(default_factory=dict)

    def open(self) -> bool:
        """Encode the problem for the first time; tell whether every place is left a number of replicas."""
        if not self._in_time():
            return True
        self.outline = encode(self.problem, in_time=self._in_time)
        if self.outline is None:
            return True
        variables = self.outline.variables
        self.ranges = {place: variables.range(place) for place in variables.places()}
        if self.best is not None and not self._is_inside(self.best):
            self.best = None
        return variables.empty is None and (self.best is not None or self._start())

    def _start(self) -> bool:
        """Divide every workload by itself, as a start; tell whether that can be done at all."""
        functions: dict[Place, ConvexFunction] = {}
        if self.outline is not None and self.outline.levels:
            first = min(self.outline.levels, key=levels_of(self.problem).index)
            functions = self.outline.levels[first].functions()
        found = relax_all(shares_of(self.problem), functions, self.ranges)
        if found is None:
            return False
        self.start = placement_of(found)
        if not refused(self.problem, self.start):
            self.best = self.start
        return True

    def reach(self) -> None:
        """Look for a placement on which all levels cost at once what they cost at least.

        Only where the placement to search near breaks rules, and costs on the first levels what is proven of
        a problem with fewer rules: one search then does what one for every level would.
        """
        goals = [] if self.near is None or self.best is not None else list(self._goals(self.near))
        encoding = self._encode() if goals else None
        if encoding is not None:
            for level, steps in goals:
                encoding.pin(level, steps)
            effort = Effort(self.deadline.part(SHARE_OF_TIME), self.workers, self.seed)
            finding = self._run(encoding, [], effort)
            if finding.values is not None:
                self._take(encoding, finding, None)

    def _goals(self, near: Placement) -> Iterator[tuple[Level, int]]:
        """Yield the first levels that cost what is proven of a problem with fewer rules, in steps.

        Not those after the tiers, which need to be settled before.
        """
        if self.outline is None:
            return
        for level, known in zip(levels_of(self.problem), self.relaxed, strict=False):
            value = value_of(self.problem, near, level)
            if level.base in (NET, *DEVIATIONS) or not known.proven or value != known.value:
                return
            yield level, self.outline.levels[level].steps(near)

    def minimise(self, level: Level, *, last: bool) -> bool:
        """Minimise one level and pin it; tell whether a placement can exist."""
        note = self._note(level, None)
        if level.base in (NET, *DEVIATIONS) and self.held is None:
            self._look_at_tiers()
        if self.outline is not None:
            cost = self.outline.levels[level]
            least = self._narrow(cost, self._pin_of(level, cost))
            note = self._note(level, None if self.restricted else least)
            encoding = None if note.proven else self._encode()
            if encoding is not None:
                verdict, bound = self._solve(encoding, level, self._time_for(last=last))
                if verdict is Verdict.INFEASIBLE:
                    return self._refuted()
                known = max((at for at in (bound, least) if at is not None), default=None)
                # What was found where tiers hold what was settled bounds no other placement.
                note = self._note(level, None if self.restricted else known)
            pin = self._pin_of(level, cost)
            if pin is not None:
                self.pins.append((level, pin))
                if note.proven and level not in self.targets:
                    self.totals |= totals_known(self.problem, level, pin)
                self._narrow(cost, pin)
                self.start = self.best
        self.notes.append(note)
        return True

    def _pin_of(self, level: Level, cost: LevelCost) -> int | None:
        """Return what the levels after one may leave it at, in steps; None where no placement is known.

        That is its target where the best placement reaches it, else what that costs.
        """
        if self.best is None:
            return None
        steps = cost.steps(self.best)
        target = self.targets.get(level)
        return steps if target is None else max(steps, steps_up_to(cost, target.value))

    def settle(self, *, ties: bool) -> LexicographicResult:
        """Return what was found; where every level is proven with ties settled, unless any answer will do."""
        settled = False
        encoding = self._encode() if all(note.proven for note in self.notes) else None
        if encoding is not None:
            effort = Effort(self.deadline, 1, self.seed)
            if self.best is None and self._find_any(encoding) is Verdict.INFEASIBLE:
                return LexicographicResult(Status.INFEASIBLE, None)
            if self.best is not None and ties:
                tied = settle(encoding, self.best, effort)
                if self._keeps(tied.placement):
                    self.best, settled = tied.placement, tied.certain and not self.restricted
        if self.best is None:
            return LexicographicResult(Status.UNKNOWN, None)
        levels = self.attained()
        return LexicographicResult(status_of(levels), self.best, levels, settled)

    def _keeps(self, placement: Placement) -> bool:
        """Tell whether a placement is as good as was proven exactly, where models count in coarser steps."""
        return all(
            value_of(self.problem, placement, level) <= (note.bound or 0) + note.tolerance
            for level, note in zip(levels_of(self.problem), self.notes, strict=True)
            if note.exact or note.tolerance
        )

    def attained(self) -> tuple[Attained, ...]:
        """Return the levels with the values of the best placement and what is proven of them."""
        if self.best is None:
            return ()
        return bounded(attained(self.problem, self.best, self.notes, self.least), self.relaxed)

    def _is_inside(self, placement: Placement) -> bool:
        """Tell whether the model can express a placement: every number lies in the range of its place."""
        return all(
            known.lower <= replicas_at(placement, place) <= known.upper
            for place, known in self.ranges.items()
        )

    def _in_time(self) -> bool:
        """Tell whether there is time left."""
        return self.deadline.remaining() > 0

    def _time_for(self, *, last: bool) -> Deadline:
        """Return when a level has to end so that the others get their share."""
        if last or self.best is None:
            return self.deadline
        return self.deadline.part(SHARE_OF_TIME)

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
            for group, replicas in self.fixed:
                encoding.model.add(encoding.selection.total(group) == replicas)
        return encoding

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
        noted = zip(levels_of(self.problem), self.notes, strict=False)
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
                everywhere = Group(workload.key, frozenset(self.problem.cluster_by_name))
                self._minimise_group(everywhere, -1)
                self.fixed.append((everywhere, replicas_at(self.best, everywhere)))
            for group in beyond_tiers(workload):
                self._minimise_group(group)
                self.fixed.append((group, replicas_at(self.best, group)))
        self.held = held_in(self.best, tiered)

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
        if target is not None:
            most = LARGEST if self.best is None else cost.steps(self.best)
            terms, offset = encoding.at_least(level, steps_up_to(cost, target.value), most), 0
        efforts = self._efforts(deadline) if target is None else self._tolerant_efforts(deadline)
        effort = efforts.pop(0)
        bound: int | None = None
        while True:
            finding = self._run(encoding, terms, effort)
            if finding.bound is not None and (
                target is None or finding.bound > steps_up_to(cost, target.value)
            ):
                bound = finding.bound + offset if bound is None else max(bound, finding.bound + offset)
            refined = finding.values is not None and self._take(encoding, finding, level)
            settled = finding.verdict in (Verdict.OPTIMAL, Verdict.INFEASIBLE)
            if not settled and target is not None and self._is_tolerated(level, encoding, bound):
                self._raise_target(level, cost.value(bound or 0))
                return finding.verdict, bound
            if refined:
                continue
            if settled or not efforts:
                return finding.verdict, bound if terms else offset
            effort = efforts.pop(0)

    def _efforts(self, deadline: Deadline) -> list[Effort]:
        """Return how hard to try in turn: one worker for a short while, then all of them."""
        first = Effort(deadline.part(FIRST_TRY, LONGEST_TRY), 1, self.seed)
        return [*([first] if self.workers > 1 else []), Effort(deadline, self.workers, self.seed)]

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
            raise InternalError(f"CP-SAT's placement breaks a rule: {broken[0]}")
        refined = encoding.refine(found)
        if self._is_better(encoding, found, level):
            self.best = found
        return refined

    def _is_better(self, encoding: Encoding, found: Placement, level: Level | None) -> bool:
        """Tell whether a placement keeps all pins and beats the best one on a level."""
        if any(encoding.levels[pinned].steps(found) > steps for pinned, steps in self.pins):
            return False
        if self.best is None or level is None:
            return True
        cost = encoding.levels[level]
        return cost.steps(found) < cost.steps(self.best)

    def _refuted(self) -> bool:
        """Return that there is no placement, unless one is known."""
        if self.best is not None:
            raise InternalError("CP-SAT calls a problem infeasible of which a placement is known")
        return False

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
        found = relax_all(shares_of(self.problem, self.totals), functions, self.ranges)
        if found is None:
            raise InternalError("ranges were narrowed until they leave no placement")
        self.start = placement_of(found)
        if most is not None:
            narrower = tighten(found, functions, self.ranges, most - rest)
            if narrower is None:
                raise InternalError("a placement costs less than the relaxation that bounds it")
            self.ranges = narrower
        return sum(relaxed.cost for relaxed in found) + rest

    def _note(self, level: Level, bound: int | None) -> Note:
        """Return how far a level got whose cost has a bound, in steps."""
        if self.best is None:
            return Note()
        value = value_of(self.problem, self.best, level)
        if level in self.targets:
            return self._tolerant_note(level, value, bound)
        if value in (self.least[level], self._relaxed_at(level, self.best)):
            return Note(value, proven=True)
        if self.outline is None or bound is None:
            return Note()
        cost = self.outline.levels[level]
        proven = cost.steps(self.best) <= bound
        if proven and not cost.exact and len(cost.costs) == 1 and cost.peaks():
            return self._sharpen(cost.peaks()[0], cost.value(bound))
        return Note(cost.value(bound), proven, cost.exact)

    def _tolerant_note(self, level: Level, value: int | Fraction, bound: int | None) -> Note:
        """Return how far a level got that may be worse than best: proven where it is within its tolerance."""
        target = self.targets[level]
        known = [target.bound, self.least[level]]
        if bound is not None and self.outline is not None:
            known.append(self.outline.levels[level].value(bound))
        least = min(value, max(known))
        return Note(least, proven=value <= least + target.tolerance, tolerance=target.tolerance)

    def _raise_target(self, level: Level, bound: Fraction) -> None:
        """Take a bound that was proven for the target of a level whose best is not known."""
        target = self.targets[level]
        self.targets = {**self.targets, level: replace(target, bound=max(target.bound, bound))}

    def _is_tolerated(self, level: Level, encoding: Encoding, bound: int | None) -> bool:
        """Tell whether the best placement is within the tolerance of a bound in steps."""
        if self.best is None or bound is None:
            return False
        least = encoding.levels[level].value(bound)
        return value_of(self.problem, self.best, level) <= least + self.targets[level].tolerance

    def _tolerant_efforts(self, deadline: Deadline) -> list[Effort]:
        """Return how hard to try in turn for a level with a tolerance.

        First a fixed amount of work by one worker: what that finds does not depend on the machine.
        """
        return [
            Effort(deadline, 1, self.seed, work=TOLERANT_WORK),
            Effort(deadline, self.workers, self.seed),
        ]

    def _relaxed_at(self, level: Level, best: Placement) -> int | Fraction | None:
        """Return what a level costs at least by the problem with fewer rules; None where that tells nothing.

        It does as long as the levels before cost what they cost there.
        """
        number = levels_of(self.problem).index(level)
        if number >= len(self.relaxed):
            return None
        known = zip(levels_of(self.problem)[:number], self.relaxed, strict=False)
        same = all(value_of(self.problem, best, each) == other.value for each, other in known)
        return self.relaxed[number].bound if same else None

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
