"""The pure simulator: makes a plan's moves wave by wave and lists every rule broken on the way.

What the current placement breaks already may stay broken, but never gets worse: no rule is broken by more
at any moment of a wave than before that wave. What the target itself breaks, because it is only a part of
what was asked for, is no fault of the plan. Shares no code with what finds the waves.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from fairlead.models.check import broken, in_kept_group, required_by
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Grouped, GroupTotal
from fairlead.models.statement import Violation
from fairlead.models.workload import Workload
from fairlead.solver.plan.transient import (
    CapacityUse,
    Placed,
    SharedRule,
    WaveCourse,
    WaveMoment,
    course,
    shared_rows,
    workload_rows,
)
from fairlead.solver.plan.waves import Move, MoveOrder, Wave, WaveOptions, WavePlan, running

_WHEN: Mapping[WaveMoment, str] = {
    WaveMoment.STOPPED: "while replicas are stopped",
    WaveMoment.UNDER_WAY: "while replicas move",
    WaveMoment.STARTED: "while old and new replicas run",
    WaveMoment.AFTER: "when it is done",
}


MovesByWorkload = Mapping[str, Sequence[Move]]
"""Moves of one wave by the workload that moves."""
INSIDE = (WaveMoment.STOPPED, WaveMoment.STARTED)
"""The moments inside a wave that are furthest from what stands before and after it."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A rule that a plan breaks."""

    wave: int
    """Number of the wave, from 1; 0 where the plan as a whole is wrong."""
    moment: WaveMoment | None
    """Moment in the wave; None where the wave cannot be made at all."""
    violation: Violation
    """Violation of the rule, in the user's words, with the whole amount by which it is broken."""

    def __str__(self) -> str:
        if not self.wave:
            return f"the plan: {self.violation}"
        when = f", {_WHEN[self.moment]}" if self.moment else ""
        return f"wave {self.wave}{when}: {self.violation}"


def replay(plan: WavePlan) -> tuple[Breach, ...]:
    """Return every rule that a plan breaks on its way; empty where it breaks none.

    Looks at every moment of every wave (see `transient`), at moves that cannot be made (more replicas than
    there are, an unknown cluster), and at the end: with the blocked moves it has to be the target. A wave
    that cannot be made ends the replay.
    """
    replayer = _Replayer(plan)
    breaches: list[Breach] = []
    for number, wave in enumerate(plan.waves, 1):
        moves = _by_workload(wave.moves)
        wrong = [Breach(number, None, violation) for violation in replayer.mistakes(wave, moves)]
        if wrong:
            return (*breaches, *wrong)
        breaches.extend(Breach(number, moment, found) for moment, found in replayer.make(moves))
    breaches.extend(Breach(0, None, violation) for violation in replayer.missed())
    return tuple(breaches)


def _by_workload(moves: Iterable[Move]) -> dict[str, list[Move]]:
    found: dict[str, list[Move]] = {}
    for move in moves:
        found.setdefault(move.workload, []).append(move)
    return found


class _Replayer:
    """The state of a replay; its own, made and thrown away by `replay`."""

    def __init__(self, plan: WavePlan) -> None:
        self.plan = plan
        self.problem: Problem = plan.problem
        self.options: WaveOptions = plan.options
        self.state: dict[str, Placed] = dict(running(plan.problem))
        self.shared = shared_rows(plan.problem)
        self.capacities = CapacityUse(plan.problem, self.state, plan.target)

    def of(self, workload: str) -> Placed:
        """Return the replicas of a workload by cluster."""
        return self.state.get(workload, {})

    def mistakes(self, wave: Wave, by_workload: MovesByWorkload) -> Iterator[Violation]:
        """List the mistakes that make a wave impossible to carry out."""
        wrong = [each for move in wave.moves for each in _malformed(move, self.problem, self.options)]
        most = self.options.most_moves
        if most is not None and wave.replicas > most:
            text = f"{wave.replicas} replicas move, start or stop in one wave, at most {most} may"
            wrong.append(Violation("moves", text, wave.replicas - most))
        if wrong:
            yield from wrong
            return
        for key, moves in by_workload.items():
            taken: dict[str, int] = {}
            for move in moves:
                if move.source is not None:
                    taken[move.source] = taken.get(move.source, 0) + move.replicas
            for cluster, replicas in sorted(taken.items()):
                held = self.of(key).get(cluster, 0)
                if replicas > held:
                    text = f"{key}: {replicas} replicas leave {cluster}, which holds {held}"
                    yield Violation("moves", text, replicas - held, None, key, cluster)

    def make(self, by_workload: MovesByWorkload) -> Iterator[tuple[WaveMoment, Violation]]:
        """Make the moves of a wave and list what they break at which moment."""
        courses = {key: course(self.of(key), moves) for key, moves in by_workload.items()}
        for key, taken in courses.items():
            yield from self._of_workload(self.problem.workload(key), taken)
        yield from self._of_shared(courses)
        yield from self.capacities.make(courses)
        self.state.update({key: taken.moments[WaveMoment.AFTER] for key, taken in courses.items()})

    def _of_workload(self, workload: Workload, taken: WaveCourse) -> Iterator[tuple[WaveMoment, Violation]]:
        """List the rules of its own that one workload breaks."""
        target = self.plan.target.of(workload.key)
        bound = in_kept_group(workload, target)
        yield from _starts_where_closed(bound, taken, target)
        if all(standing in (taken.before, target) for standing in taken.moments.values()):
            return  # what is broken before and in the target does not matter
        for row in workload_rows(bound, target, self.options):
            yield from row.breaches(taken.before, taken.moments.__getitem__, target)

    def _of_shared(self, courses: Mapping[str, WaveCourse]) -> Iterator[tuple[WaveMoment, Violation]]:
        """List the rules that workloads break together: companions and quotas."""
        for row in self.shared:
            if not any(key in courses for key in row.members):
                continue
            held = {key: self.of(key) for key in row.members}
            target = Placement({key: self.plan.target.of(key) for key in row.members})

            def then(moment: WaveMoment, held: Mapping[str, Placed] = held) -> Placement:
                moved = {key: courses[key].moments[moment] for key in held if key in courses}
                return Placement({**held, **moved})

            yield from row.breaches(Placement(held), then, target)

    def missed(self) -> Iterator[Violation]:
        """List where the end of the plan differs from its target, apart from the blocked moves."""
        blocked = _by_workload(each.move for each in self.plan.blocked)
        for workload in self.problem.workloads:
            key = workload.key
            end = course(self.of(key), blocked.get(key, ())).moments[WaveMoment.AFTER]
            wanted = self.plan.target.of(key)
            if end == wanted:
                continue
            for cluster in sorted(end.keys() | wanted.keys()):
                there, due = end.get(cluster, 0), wanted.get(cluster, 0)
                if there != due:
                    text = f"{key}: {there} replicas on {cluster} in the end, the target has {due}"
                    yield Violation("target", text, abs(there - due), None, key, cluster)


def _malformed(move: Move, problem: Problem, options: WaveOptions) -> Iterator[Violation]:
    """List the mistakes of a move by itself."""
    if move.workload not in problem.workload_by_key:
        yield Violation("moves", f"there is no workload {move.workload}", move.replicas, None, move.workload)
        return
    for cluster in (move.source, move.target):
        if cluster is not None and cluster not in problem.cluster_by_name:
            text = f"{move.workload}: there is no cluster {cluster}"
            yield Violation("moves", text, move.replicas, None, move.workload, cluster)
    if move.replicas < 1 or move.source == move.target:
        ends = f"from {move.source or 'nowhere'} to {move.target or 'nowhere'}"
        text = f"{move.workload}: moving {move.replicas} {ends} is no move"
        yield Violation("moves", text, 1, None, move.workload)
    order, both = options.order, move.source is not None and move.target is not None
    if both and order is not MoveOrder.EITHER and move.stop_first != (order is MoveOrder.STOP_FIRST):
        text = f"{move.workload}: moves against its order, which is {order}"
        yield Violation("moves", text, move.replicas, None, move.workload)


def _starts_where_closed(
    workload: Workload, taken: WaveCourse, target: Placed
) -> Iterator[tuple[WaveMoment, Violation]]:
    """List replicas started on a cluster that takes nothing new, even if it held more before."""
    candidates = workload.rule(Candidates)
    if candidates is None:
        return
    for cluster, exclusion in candidates.held_only.items():
        if target.get(cluster, 0) > workload.current.get(cluster, 0):
            continue
        before = taken.moments[WaveMoment.STOPPED].get(cluster, 0)
        started = taken.moments[WaveMoment.STARTED].get(cluster, 0) - before
        if started > 0:
            text = f"{workload.key}: {started} started on {cluster}, which {exclusion.reason}"
            violation = Violation("candidates", text, started, exclusion.source, workload.key, cluster)
            yield WaveMoment.STARTED, violation


@dataclass(frozen=True, slots=True)
class PassedInside:
    """A rule that does not hold for a moment, inside a wave; waves are numbered from 1."""

    wave: int
    violation: Violation

    def __str__(self) -> str:
        return f"inside wave {self.wave}: {self.violation.text}"


def passed_inside(plan: WavePlan) -> tuple[PassedInside, ...]:
    """Return the group totals and spreads that hold before and after a wave, but not inside it.

    Inside a wave a moving replica may stand on two clusters, or on none. Group totals and spread count how a
    workload is divided as a whole, so a set that may hold ten replicas could never exchange one of its ten
    with the new one up first, and a workload of one region could never move to another. Such rules bind
    between waves; what they miss inside is told, not forbidden.

    What does not hold before the wave, or in the target, by as much is left out; of one rule and wave the
    moment counts that is worst.

    `plan`: the plan; its moves have to be possible.
    """
    return tuple(
        PassedInside(number, violation)
        for number, (wave, before) in enumerate(zip(plan.waves, plan.states, strict=False), 1)
        for key, moves in sorted(_by_workload(wave.moves).items())
        for violation in _of_workload(plan, key, before, moves)
    )


def _of_workload(plan: WavePlan, key: str, before: Placement, moves: list[Move]) -> Iterator[Violation]:
    """Yield the rules that one workload breaks inside a wave only."""
    target = plan.target.of(key)
    workload = in_kept_group(plan.problem.workload(key), target)
    required = [
        requirement
        for rule in workload.rules
        if isinstance(rule, GroupTotal | Grouped)
        for requirement in required_by(rule, workload, ())
    ]
    if not required:
        return
    taken = course(before.of(key), moves)
    worst: dict[tuple[str, str], Violation] = {}
    row: SharedRule[Placed] = SharedRule(INSIDE, partial(broken, required))
    for _, violation in row.breaches(taken.before, taken.moments.__getitem__, target):
        known = worst.setdefault((violation.rule, violation.detail), violation)
        if violation.amount > known.amount:
            worst[violation.rule, violation.detail] = violation
    yield from (worst[about] for about in sorted(worst))
