"""The best placement beside those of dispensers. Pure data."""

from dataclasses import dataclass

from fairlead.models.answer import Answer
from fairlead.models.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Difference:
    """A cluster on which a contender places another number of replicas than the best placement.

    Parameters
    ----------
    workload, cluster
        Where.
    replicas
        What the contender places there.
    best
        What the best placement has there.
    """

    workload: str
    cluster: str
    replicas: int
    best: int


@dataclass(frozen=True)
class Contender:
    """What a dispenser answers to the same problem.

    Parameters
    ----------
    name
        Name of the dispenser.
    outcome
        Its answer: status, levels, violations.
    unplaced
        Replicas that stand nowhere.
    differences
        Where it differs from the best placement, by workload and cluster; empty where there is no best one.
    verdict
        How it compares, in one sentence.
    """

    name: str
    outcome: Outcome
    unplaced: int
    differences: tuple[Difference, ...]
    verdict: str


@dataclass(frozen=True, repr=False)
class Comparison(Answer):
    """The best placement beside those of dispensers.

    Parameters
    ----------
    best
        What `solve` answers.
    contenders
        What the dispensers answer, in the order in which they were asked for.
    """

    best: Outcome
    contenders: tuple[Contender, ...]

    @property
    def verdict(self) -> str:
        """How all contenders compare, a line each, below the verdict on the best placement."""
        return self.shown_by.verdict(self)
