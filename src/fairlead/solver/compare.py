"""compare() and bench(): the best placement beside those of greedy schedulers: how good, how soon."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import starmap
from statistics import median
from typing import Any, NamedTuple

from fairlead.models.answer import Answer
from fairlead.models.levels import DEVIATIONS, Deviation
from fairlead.models.outcome import Attained, Comparison, Contender, Difference, Outcome, Status
from fairlead.models.placement import differences
from fairlead.models.problem import Problem
from fairlead.models.rules import total
from fairlead.models.score import levels_of, score, value_of
from fairlead.models.shapes import checked
from fairlead.models.source import FederatedUnit, KarmadaBinding
from fairlead.models.uncollected import hurried
from fairlead.models.words import counted, format_number, listed
from fairlead.models.workload import Workload
from fairlead.solver.dispense import Overcommit, dispense_in_time
from fairlead.solver.running.deadline import Deadline, listening
from fairlead.solver.solve import solve

Value = int | Fraction

SHARE_OF_BEST = 0.8
"""Part of the time that the best placement may use; dispensers get what is left."""


@hurried
@checked
def compare(
    problem: Problem,
    likes: Sequence[str] | None = None,
    *,
    overcommit: Overcommit = "as-karmada",
    **settings: Any,
) -> Comparison:
    """Solve a problem and let dispensers answer it too.

    Parameters
    ----------
    problem
        The question.
    likes
        Names of dispensers, see `dispense`; None takes the scheduler that the workloads are written for
        (``karmada`` or ``kubeadmiral``, where it is one for all of them) and ``reference``.
    overcommit
        Of the real schedulers, see `dispense`.
    **settings
        Arguments of `solve`. `time_limit` is for the whole call; a dispenser that has no time left has no
        answer, and its status is UNKNOWN. After a signal that asks for the answer, none has.

    Returns
    -------
    Comparison
        All of them are asked the same: `fresh` and `deviation` count for the dispensers too.

    Raises
    ------
    UsageError
        Where an argument is wrong, or a dispenser cannot place a workload of another system.
    """
    deadline = Deadline.after(settings.pop("time_limit", 10.0))
    with listening(deadline):
        best = solve(problem, **settings, time_limit=deadline.part(SHARE_OF_BEST).limit)
        names = _default(problem) if likes is None else tuple(dict.fromkeys(likes))
        answers = [
            (name, dispense_in_time(best.problem, name, deadline, overcommit=overcommit)) for name in names
        ]
    return Comparison(best, tuple(_contender(name, answer, best) for name, answer in answers))


def _default(problem: Problem) -> tuple[str, ...]:
    """Return the dispensers that fit the workloads."""
    systems = {type(workload.declared) for workload in problem.workloads}
    if systems == {KarmadaBinding}:
        return "karmada", "reference"
    return ("kubeadmiral", "reference") if systems == {FederatedUnit} else ("reference",)


def _contender(name: str, outcome: Outcome, best: Outcome) -> Contender:
    """Return the contender that one answer makes."""
    missing = outcome.missing
    found: tuple[Difference, ...] = ()
    if outcome.placement is not None and best.placement is not None:
        told = differences(outcome.placement, best.placement, best.problem.workload_by_key)
        found = tuple(starmap(Difference, told))
    tally = _tally(outcome, best) if found else ""
    text = f"{name} {_compared(outcome, best, missing, found)}.{tally}"
    return Contender(name, outcome, missing, found, text)


def _compared(outcome: Outcome, best: Outcome, missing: int, found: Sequence[Difference]) -> str:
    failed = list(_failures(outcome, missing))
    if failed:
        return " and ".join(failed)
    if best.placement is None:
        return "keeps every rule"
    if not found:
        return "gives the same placement"
    return _by_levels(outcome, best)


def _failures(outcome: Outcome, missing: int) -> Iterator[str]:
    """Say the faults of an answer."""
    if outcome.status is Status.UNKNOWN:
        yield "did not answer in time"
        return
    if outcome.reason is not None:
        yield f"reports {_reasons(outcome)}"
    if missing:
        yield f"leaves {counted(missing, 'replica')} unplaced"
    broken = [each for each in outcome.violations if not (missing and each.rule == total.KIND)]
    if broken:
        yield f"violates {counted(len(broken), 'rule')}"


def _reasons(outcome: Outcome) -> str:
    """Name what a scheduler reports, and the workloads that it is about where there are others."""
    if len(outcome.problem.workloads) == 1 or not outcome.reasons:
        return outcome.reason or ""
    found = dict.fromkeys(outcome.reasons.values())
    about = {reason: [key for key, why in outcome.reasons.items() if why == reason] for reason in found}
    return ", ".join(f"{reason} for {listed(keys, 'workload')}" for reason, keys in about.items())


def _by_levels(outcome: Outcome, best: Outcome) -> str:
    """Say on which level a valid answer is worse."""
    if [level.name for level in outcome.objectives] != [level.name for level in best.objectives]:
        return "keeps every rule, in another affinity group"
    pairs = [(here, there) for here, there in zip(outcome.objectives, best.objectives, strict=True)]
    first = next((pair for pair in pairs if pair[0].value != pair[1].value), None)
    if first is None:
        return "is equally good on every level; only ties differ"
    here, there = first
    numbers = f"{format_number(here.value)} instead of {format_number(there.value)}"
    if here.value < there.value:
        return f"is better on {here.name}: {numbers}; the best placement was not proven best"
    return f"keeps every rule, but is worse on {here.name}: {numbers}{_elsewhere(outcome, best, here)}"


def _elsewhere(outcome: Outcome, best: Outcome, level: Attained) -> str:
    """Say by which other measures of the deviation an answer is no worse, where it is the measure only."""
    if level.name not in {each.name for each in DEVIATIONS}:
        return ""
    chosen = best.problem.deviation
    others = [measure for measure in Deviation if measure is not chosen]
    good = [str(measure) for measure in others if _deviates(outcome, measure) <= _deviates(best, measure)]
    return f" by {chosen}; by {' and '.join(good)} it is no worse" if good else f" by {chosen}"


def _deviates(outcome: Outcome, measure: Deviation) -> Value:
    """Return the deviation of an answer by another measure."""
    if outcome.placement is None:
        return 0
    problem, placement = replace(outcome.problem, deviation=measure), outcome.placement
    levels = (level for level in levels_of(problem) if level.base in DEVIATIONS)
    return sum(value_of(problem, placement, level) for level in levels)


def _tally(outcome: Outcome, best: Outcome) -> str:
    """Return one sentence on all workloads together; empty where there is only one or nothing to compare.

    Each workload is looked at by itself, level by level. One can be better off than in the best answer, where
    others pay for it.
    """
    if len(best.problem.workloads) < 2 or outcome.placement is None or best.placement is None:
        return ""
    counts = {"equal": 0, "worse": 0, "better": 0, "unplaced": 0}
    for workload in best.problem.workloads:
        counts[_standing(workload, outcome, best)] += 1
    words = {
        "equal": "placed equally well",
        "worse": "worse",
        "better": "better",
        "unplaced": "not fully placed",
    }
    told = ", ".join(f"{counts[kind]} {text}" for kind, text in words.items() if counts[kind])
    return f" Of {len(best.problem.workloads)} workloads, each by itself: {told}."


def _standing(workload: Workload, outcome: Outcome, best: Outcome) -> str:
    """Tell how one workload fares against the best answer."""
    if outcome.placement is None or best.placement is None:
        return "unplaced"
    here, there = outcome.placement.of(workload.key), best.placement.of(workload.key)
    if here == there:
        return "equal"
    if sum(here.values()) < sum(there.values()):
        return "unplaced"
    alone = replace(best.problem, workloads=(workload,))
    found = tuple(level.value for level in score(alone, {workload.key: here}))
    wanted = tuple(level.value for level in score(alone, {workload.key: there}))
    if found == wanted:
        return "equal"
    return "worse" if found > wanted else "better"


class Round(NamedTuple):
    """One round: the input is read, and everybody answers it."""

    load: float
    """Seconds until the input was read."""
    comparison: Comparison


class SecondsSpread(NamedTuple):
    """Seconds of several rounds."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "SecondsSpread":
        """Return the spread of at least one number."""
        return cls(median(seconds), min(seconds), max(seconds))


@dataclass(frozen=True, repr=False)
class Benchmark(Answer):
    """Several rounds of one comparison, everybody once in each."""

    rounds: tuple[Round, ...]
    """At least one."""

    @property
    def last(self) -> Comparison:
        """The answers of the last round."""
        return self.rounds[-1].comparison

    @property
    def load(self) -> SecondsSpread:
        """Seconds until the input was read."""
        return SecondsSpread.of([each.load for each in self.rounds])

    @property
    def taken(self) -> dict[str, list[float]]:
        """Seconds of everybody in every round, loading left out, by name."""
        found: dict[str, list[float]] = {}
        for each in self.rounds:
            for name, outcome in each.comparison.answers.items():
                found.setdefault(name, []).append(sum(outcome.seconds.values()))
        return found

    @property
    def seconds(self) -> dict[str, SecondsSpread]:
        """How the seconds of everybody spread, by name."""
        return {name: SecondsSpread.of(numbers) for name, numbers in self.taken.items()}

    @property
    def ratios(self) -> dict[str, float]:
        """Median seconds of everybody over those of the fastest, by name."""
        medians = {name: spread.median for name, spread in self.seconds.items()}
        fastest = min(medians.values())
        return {name: each / fastest if fastest else 1.0 for name, each in medians.items()}

    @property
    def changing(self) -> tuple[str, ...]:
        """Names of those whose placement was not the same in every round, as time limits bring about."""
        placed: dict[str, list[object]] = {}
        for each in self.rounds:
            for name, outcome in each.comparison.answers.items():
                placed.setdefault(name, []).append(outcome.placement)
        return tuple(name for name, found in placed.items() if any(one != found[0] for one in found))


def bench(
    read: Callable[[], Problem], rounds: int, likes: Sequence[str] | None = None, **settings: Any
) -> Benchmark:
    """Read an input and compare, several times, and take the time.

    A signal that asks for the answer ends it; the round that is under way does not count then, unless it is
    the first.

    `read`: reads the input; called once a round, so that nothing is known from the round before. `rounds`:
    how many rounds, at least 1. `**settings`: arguments of `compare`, for every round.
    """
    found: list[Round] = []
    whole = Deadline()
    with listening(whole):
        while len(found) < rounds and not whole.stop.asked:
            started = time.perf_counter()
            problem = read()
            load = time.perf_counter() - started
            taken = Round(load, compare(problem, likes, **settings))
            # The answers of a round that was interrupted are cut short.
            found += [] if found and whole.stop.asked else [taken]
    return Benchmark(tuple(found))
