"""Rules about several clusters at once that a plan keeps between its waves, but not inside them.

Inside a wave a moving replica may stand on two clusters, or on none. Group totals and spread count how a
workload is divided as a whole, so a set that may hold ten replicas could never exchange one of its ten with
the new one up first, and a workload of one region could never move to another. Such rules bind between waves;
what they miss inside is told, not forbidden.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fairlead.models.check import broken, in_kept_group, required_by
from fairlead.models.placement import Placement
from fairlead.models.rules import GroupTotal, Spread
from fairlead.models.statement import Violation
from fairlead.models.workload import Workload
from fairlead.solver.plans.replay import placements
from fairlead.solver.plans.transient import Moment, Placed, course
from fairlead.solver.plans.waves import Move, WavePlan

INSIDE = (Moment.STOPPED, Moment.STARTED)
"""The moments inside a wave that are furthest from what stands before and after it."""


@dataclass(frozen=True, slots=True)
class PassedInside:
    """A rule that does not hold for a moment.

    Parameters
    ----------
    wave
        Number of the wave, from 1.
    violation
        What does not hold meanwhile, in the user's words.
    """

    wave: int
    violation: Violation

    def __str__(self) -> str:
        return f"inside wave {self.wave}: {self.violation.text}"


def passed_inside(plan: WavePlan) -> tuple[PassedInside, ...]:
    """Return the group totals and spreads that hold before and after a wave, but not inside it.

    What does not hold before the wave, or in the target, by as much is left out; of one rule and wave the
    moment counts that is worst.

    Parameters
    ----------
    plan
        The plan; its moves have to be possible.
    """
    return tuple(
        PassedInside(number, violation)
        for number, (wave, before) in enumerate(zip(plan.waves, placements(plan), strict=False), 1)
        for key, moves in sorted(_by_workload(wave.moves).items())
        for violation in _of_workload(plan, key, before, moves)
    )


def _by_workload(moves: tuple[Move, ...]) -> dict[str, list[Move]]:
    """Group moves by workload."""
    found: dict[str, list[Move]] = {}
    for move in moves:
        found.setdefault(move.workload, []).append(move)
    return found


def _of_workload(plan: WavePlan, key: str, before: Placement, moves: list[Move]) -> Iterator[Violation]:
    """Yield what one workload passes inside a wave."""
    target = plan.target.of(key)
    workload = in_kept_group(plan.problem.workload(key), target)
    if workload.rule(GroupTotal) is None and workload.rule(Spread) is None:
        return
    taken = course(before.of(key), moves)
    allowed = _larger(_broken(workload, taken.before), _broken(workload, target))
    worst: dict[tuple[str, str], Violation] = {}
    for moment in INSIDE:
        for about, violation in _broken(workload, taken.moments[moment]).items():
            known = worst.get(about) or allowed.get(about)
            if known is None or violation.amount > known.amount:
                worst[about] = violation
    yield from (worst[about] for about in sorted(worst))


def _broken(workload: Workload, placed: Placed) -> dict[tuple[str, str], Violation]:
    """Return what a workload breaks of its rules about several clusters, by rule and set."""
    required = (
        requirement
        for rule in workload.rules
        if isinstance(rule, GroupTotal | Spread)
        for requirement in required_by(rule, workload, ())
    )
    return {(violation.rule, violation.detail): violation for violation in broken(required, placed)}


def _larger(
    first: Mapping[tuple[str, str], Violation], second: Mapping[tuple[str, str], Violation]
) -> dict[tuple[str, str], Violation]:
    """Return what is broken at all, each by the larger amount."""
    found = dict(first)
    for about, violation in second.items():
        if about not in found or violation.amount > found[about].amount:
            found[about] = violation
    return found
