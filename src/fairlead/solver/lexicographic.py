"""Levels one after the other by CP-SAT: minimise, pin, go on with the next; then settle ties."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from fairlead.encoders.convex import Term
from fairlead.encoders.encoding import Encoding, LevelCost
from fairlead.encoders.peak import PeakCost
from fairlead.encoders.registry import encode
from fairlead.encoders.segments import ConvexFunction
from fairlead.encoders.variables import Place, Range
from fairlead.models.check import check
from fairlead.models.errors import InternalError
from fairlead.models.levels import Level
from fairlead.models.outcome import Attained, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Total
from fairlead.models.score import levels_of, score
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


@dataclass(frozen=True, slots=True)
class LexicographicResult:
    """What was found.

    Parameters
    ----------
    status
        OPTIMAL where every level is proven.
    placement
        The answer; None where there is none.
    attained
        The levels in order; the values are the pure scorer's.
    settled
        True where ties were settled to the end, so that the placement is the only right answer.
    """

    status: Status
    placement: Placement | None
    attained: tuple[Attained, ...] = ()
    settled: bool = False


@dataclass(frozen=True, slots=True)
class _Note:
    """How far a level got: its bound in its own unit, whether it is reached, and whether steps are exact."""

    bound: int | Fraction | None = None
    proven: bool = False
    exact: bool = True


def minimise_levels(
    problem: Problem,
    hint: Placement | None = None,
    deadline: Deadline | None = None,
    workers: int | None = None,
    seed: int = 0,
    progress: Callable[[Attained], None] | None = None,
) -> LexicographicResult:
    """Find the placement that is best on the first level, among those on the second, and so on.

    Parameters
    ----------
    problem
        The question.
    hint
        A placement to start from; the answer is never worse. One that breaks a rule is not used.
    deadline
        When the answer is due; None means no limit.
    workers
        Threads of CP-SAT; None means one for every core.
    seed
        Random seed of CP-SAT.
    progress
        Called after every level.
    """
    search = _Search(problem, deadline or Deadline(), workers or os.cpu_count() or 1, seed)
    if hint is not None and not check(problem, hint):
        search.best = hint
    if not search.open():
        return LexicographicResult(Status.INFEASIBLE, None)
    levels = levels_of(problem)
    for level in levels:
        if not search.minimise(level, last=level == levels[-1]):
            return LexicographicResult(Status.INFEASIBLE, None)
        if search.best is None:
            return LexicographicResult(Status.UNKNOWN, None)
        if progress is not None:
            progress(search.attained()[len(search.notes) - 1])
    return search.settle()


@dataclass(slots=True)
class _Search:
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
    notes: list[_Note] = field(default_factory=list)

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
            first = min(self.outline.levels, key=self.problem.levels.index)
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
        note = _Note()
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
            note = self.notes[index] if index < len(self.notes) else _Note()
            found.append(_attained(level, note))
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
        encoding = encode(self.problem, ranges or self.ranges, self.best or self.start, in_time=self._in_time)
        if encoding is not None:
            for level, steps in self.pins:
                encoding.pin(level, steps)
        return encoding

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

    def _note(self, cost: LevelCost, bound: int | None) -> _Note:
        """Return how far a level got."""
        if bound is None or self.best is None:
            return _Note()
        proven = cost.steps(self.best) <= bound
        peaks = cost.peaks()
        if proven and not cost.exact and len(peaks) == 1:
            return self._sharpen(peaks[0], cost.value(bound))
        return _Note(cost.value(bound), proven, cost.exact)

    def _sharpen(self, peak: PeakCost, bound: Fraction) -> _Note:
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
            return _Note(limit, proven=True)
        return _Note(bound, proven=True, exact=False)


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


def _attained(level: Attained, note: _Note) -> Attained:
    """Return a level with what is proven of it."""
    if note.bound is None:
        return level
    bound = int(note.bound) if note.bound == int(note.bound) else note.bound
    if level.value < bound or (note.proven and note.exact and level.value != bound):
        raise InternalError(f"level {level.name} is {level.value}, proven was {bound}")
    resolution = None if note.exact or level.value == bound else Fraction(level.value - bound)
    if not note.proven:
        return replace(level, bound=bound, proven=level.value == bound)
    return replace(level, bound=bound, proven=True, resolution=resolution)
