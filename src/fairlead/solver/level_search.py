"""The search behind the levels: the best placement, ranges, pins and bounds while CP-SAT runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from fairlead.encoders.convex import Term
from fairlead.encoders.costs import LevelCost
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.peak import PeakCost
from fairlead.encoders.registry import encode
from fairlead.encoders.segments import ConvexFunction
from fairlead.encoders.selection import Group, replicas_at
from fairlead.encoders.variables import Place, Range
from fairlead.models.check import check
from fairlead.models.errors import InternalError
from fairlead.models.levels import DEVIATION, Level
from fairlead.models.outcome import Attained, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Tiers, Total, Weights
from fairlead.models.score import levels_of, score
from fairlead.models.workload import Workload
from fairlead.solver.attainment import LexicographicResult, Note, attained_level
from fairlead.solver.deadline import Deadline
from fairlead.solver.engine import Effort, Finding, Verdict, run
from fairlead.solver.pricing import Share, relax, tighten
from fairlead.solver.ties import settle

# Of the time that is left, what a level may use while others wait.
SHARE_OF_TIME = 0.6
# One worker tries first, for this part of a level's time: most models are settled by then, and the other
# workers would only be in each other's way.
FIRST_TRY = 0.2
LONGEST_TRY = 2.0


@dataclass(slots=True)
class LevelSearch:
    """What is known while the levels are solved: the best placement, ranges, pins and bounds."""

    problem: Problem
    deadline: Deadline
    workers: int
    seed: int
    best: Placement | None = None
    start: Placement | None = None
    outline: Encoding | None = None
    ranges: dict[Place, Range] = field(default_factory=dict)
    pins: list[tuple[Level, int]] = field(default_factory=list)
    fixed: list[tuple[Group, int]] = field(default_factory=list)
    settled: Placement | None = None
    notes: list[Note] = field(default_factory=list)

    def open(self) -> bool:
        """Encode the problem for the first time; tell whether every place is left a number of replicas."""
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
        found: dict[str, dict[str, int]] = {}
        for share, workload in zip(self._shares(), self.problem.workloads, strict=True):
            relaxed = relax(share, functions, self.ranges)
            if relaxed is None:
                return False
            found[workload.key] = {place.cluster: count for place, count in relaxed.replicas.items()}
        self.start = Placement(found)
        if not check(self.problem, self.start):
            self.best = self.start
        return True

    def minimise(self, level: Level, *, last: bool) -> bool:
        """Minimise one level and pin it; tell whether a placement can exist."""
        note = Note()
        if level == DEVIATION and self.settled is None:
            self._settle_tiers()
        if self.outline is not None:
            cost = self.outline.levels[level]
            self._narrow(cost)
            encoding = self._encode()
            if encoding is not None:
                verdict, bound = self._solve(encoding, level, self._time_for(last=last))
                if verdict is Verdict.INFEASIBLE:
                    return self._refuted()
                note = self._note(cost, bound)
            if self.best is not None:
                self.pins.append((level, cost.steps(self.best)))
                self._narrow(cost)
        self.notes.append(note)
        return True

    def settle(self) -> LexicographicResult:
        """Settle ties where every level is proven, and return what was found."""
        settled = False
        encoding = self._encode() if all(note.proven for note in self.notes) else None
        if encoding is not None:
            effort = Effort(self.deadline, 1, self.seed)
            if self.best is None:
                finding = self._run(encoding, [], effort)
                if finding.values is not None:
                    self._take(encoding, finding, None)
                if finding.verdict is Verdict.INFEASIBLE:
                    return LexicographicResult(Status.INFEASIBLE, None)
            if self.best is not None:
                tied = settle(encoding, self.best, effort)
                self.best, settled = tied.placement, tied.certain
        if self.best is None:
            return LexicographicResult(Status.UNKNOWN, None)
        attained = self.attained()
        status = Status.OPTIMAL if all(level.proven for level in attained) else Status.FEASIBLE
        return LexicographicResult(status, self.best, attained, settled)

    def attained(self) -> tuple[Attained, ...]:
        """Return the levels with the values of the best placement and what is proven of them."""
        if self.best is None:
            return ()
        found = []
        for index, level in enumerate(score(self.problem, self.best)):
            note = self.notes[index] if index < len(self.notes) else Note()
            found.append(attained_level(level, note))
        return tuple(found)

    def _is_inside(self, placement: Placement) -> bool:
        """Tell whether the model can express a placement: every number lies in the range of its place."""
        return all(
            place in self.ranges and self.ranges[place].lower <= count <= self.ranges[place].upper
            for workload, placed in placement.items()
            for place, count in ((Place(workload, cluster), count) for cluster, count in placed.items())
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
            self.best or self.start,
            settled=self.settled,
            in_time=self._in_time,
        )
        if encoding is not None:
            for level, steps in self.pins:
                encoding.pin(level, steps)
            for group, replicas in self.fixed:
                encoding.model.add(encoding.selection.total(group) == replicas)
        return encoding

    def _settle_tiers(self) -> None:
        """Settle what every overflow tier holds, so that the shares of what it holds can be measured.

        The levels of the tiers are pinned by now, which leaves one workload no choice. Of several workloads
        the more urgent ones decide first, tier by tier.
        """
        tiered = [
            each for each in self.problem.workloads if any(rule.tiers for rule in each.rules_of(Weights))
        ]
        if tiered and self.best is None:
            self._find_any()
        if not tiered or self.best is None:
            return
        for workload in sorted(tiered, key=lambda each: (-each.priority, each.key)):
            for group in _beyond(workload):
                if len(tiered) > 1:
                    self._minimise_group(group)
                self.fixed.append((group, replicas_at(self.best, group)))
        self.settled = self.best
        self.outline = encode(
            self.problem, self.ranges, self.best, settled=self.settled, in_time=self._in_time
        )

    def _find_any(self) -> Verdict:
        """Find any placement."""
        encoding = self._encode()
        if encoding is None:
            return Verdict.UNKNOWN
        finding = self._run(encoding, [], Effort(self.deadline, 1, self.seed))
        if finding.values is not None:
            self._take(encoding, finding, None)
        return finding.verdict

    def _minimise_group(self, group: Group) -> None:
        """Find a placement with the fewest replicas on a set of clusters."""
        encoding = self._encode()
        if encoding is not None:
            finding = self._run(
                encoding, [(encoding.selection.total(group), 1)], Effort(self.deadline, 1, self.seed)
            )
            if finding.values is not None:
                variables = [variable for _, variable in encoding.variables.made()]
                self.best = encoding.read(variables, finding.values)

    def _solve(self, encoding: Encoding, level: Level, deadline: Deadline) -> tuple[Verdict, int | None]:
        """Minimise a level until no cost is underestimated; return what is known, and the bound in steps."""
        terms, offset = encoding.levels[level].terms()
        efforts = self._efforts(deadline)
        effort = efforts.pop(0)
        bound: int | None = None
        while True:
            finding = self._run(encoding, terms, effort)
            if finding.bound is not None:
                bound = finding.bound + offset if bound is None else max(bound, finding.bound + offset)
            if finding.values is not None and self._take(encoding, finding, level):
                continue
            if finding.verdict in (Verdict.OPTIMAL, Verdict.INFEASIBLE) or not efforts:
                return finding.verdict, bound if terms else offset
            effort = efforts.pop(0)

    def _efforts(self, deadline: Deadline) -> list[Effort]:
        """Return how hard to try in turn: one worker for a short while, then all of them."""
        first = Effort(deadline.part(FIRST_TRY, LONGEST_TRY), 1, self.seed)
        return [*([first] if self.workers > 1 else []), Effort(deadline, self.workers, self.seed)]

    def _run(self, encoding: Encoding, terms: list[Term], effort: Effort) -> Finding:
        """Run CP-SAT, starting from the best placement."""
        variables = [variable for _, variable in encoding.variables.made()]
        hint = encoding.values(self.best) if self.best is not None else []
        return run(encoding.model, variables, terms, hint, effort)

    def _take(self, encoding: Encoding, finding: Finding, level: Level | None) -> bool:
        """Keep what was found if it is better; tell whether a cost was underestimated there."""
        variables = [variable for _, variable in encoding.variables.made()]
        found = encoding.read(variables, finding.values or ())
        broken = check(self.problem, found)
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

    def _narrow(self, cost: LevelCost) -> None:
        """Leave out what no placement at least as good as the best can hold."""
        if self.best is None or not cost.costs:
            return
        steps = cost.steps(self.best)
        peaks = cost.peaks()
        if peaks:
            limit = Fraction(steps + 1, cost.scale)
            self.ranges = _within_peaks(self.ranges, peaks, limit, strictly=True)
            return
        narrower = tighten(self._shares(), cost.functions(), self.ranges, steps)
        if narrower is None:
            raise InternalError("a placement costs less than the relaxation that bounds it")
        self.ranges = narrower

    def _shares(self) -> list[Share]:
        """Return what every workload has to divide, by itself."""
        clusters = [cluster.name for cluster in self.problem.clusters]
        return [
            Share(
                [Place(workload.key, name) for name in clusters],
                None if workload.rule(Total) is None else workload.replicas,
            )
            for workload in self.problem.workloads
        ]

    def _note(self, cost: LevelCost, bound: int | None) -> Note:
        """Return how far a level got."""
        if bound is None or self.best is None:
            return Note()
        proven = cost.steps(self.best) <= bound
        peaks = cost.peaks()
        if proven and not cost.exact and len(peaks) == 1:
            return self._sharpen(peaks[0], cost.value(bound))
        return Note(cost.value(bound), proven, cost.exact)

    def _sharpen(self, peak: PeakCost, bound: Fraction) -> Note:
        """Prove the greatest distance of one workload exactly: look for anything below it."""
        while self.best is not None:
            limit = peak.exactly(self.best.of(peak.workload))
            below = _within_peaks(self.ranges, [peak], limit, strictly=True)
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
            self.ranges = _within_peaks(self.ranges, [peak], limit, strictly=False)
            return Note(limit, proven=True)
        return Note(bound, proven=True, exact=False)


def _beyond(workload: Workload) -> list[Group]:
    """Return the clusters beyond every overflow tier but the last."""
    tiers = next(rule.tiers for rule in workload.rules_of(Tiers))
    return [Group(workload.key, frozenset().union(*tiers[number:])) for number in range(1, len(tiers))]


def _within_peaks(
    ranges: Mapping[Place, Range], peaks: Sequence[PeakCost], limit: Fraction, *, strictly: bool
) -> dict[Place, Range]:
    """Return the ranges in which no distance of a workload exceeds a limit."""
    found = dict(ranges)
    for peak in peaks:
        for cluster in peak.division.weights:
            place = Place(peak.workload, cluster)
            least, most = peak.within(cluster, limit, strictly=strictly)
            found[place] = Range(max(found[place].lower, least), min(found[place].upper, most))
    return found
