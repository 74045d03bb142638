"""bench(): how long the best placement and greedy schedulers take, round after round."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

from fairlead.models.answer import Answer
from fairlead.models.outcome import Comparison, Outcome
from fairlead.models.problem import Problem
from fairlead.solver.compare import compare
from fairlead.solver.running.deadline import Deadline, listening

BEST = "best"


class Round(NamedTuple):
    """One round: the input is read, and everybody answers it."""

    load: float
    """Seconds until the input was read."""
    comparison: Comparison

    @property
    def answers(self) -> Iterator[tuple[str, Outcome]]:
        """All answers with the names of who gave them, fairlead's first."""
        yield BEST, self.comparison.best
        yield from ((each.name, each.outcome) for each in self.comparison.contenders)


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
            for name, outcome in each.answers:
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
            for name, outcome in each.answers:
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
