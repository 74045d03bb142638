"""The best placement beside those of dispensers. Pure data."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True)
class Comparison:
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
        from fairlead.models.outcome_text import verdict

        return "\n".join([verdict(self.best), *(contender.verdict for contender in self.contenders)])

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values.

        Returns
        -------
        dict
            ``verdict``; ``best``, as `Outcome.to_dict` gives it without decisions; ``contenders``, each
            alike, with ``name``, ``verdict``, ``unplaced`` and ``differences`` (``workload``, ``cluster``,
            ``replicas``, ``best``) on top.
        """
        return {
            "verdict": self.verdict,
            "best": self.best.to_dict(decisions=False),
            "contenders": [_document(contender) for contender in self.contenders],
        }

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def _document(contender: Contender) -> dict[str, Any]:
    """Return a contender as JSON-ready values."""
    return {
        "name": contender.name,
        "verdict": contender.verdict,
        "unplaced": contender.unplaced,
        "differences": [
            {"workload": one.workload, "cluster": one.cluster, "replicas": one.replicas, "best": one.best}
            for one in contender.differences
        ],
        **contender.outcome.to_dict(decisions=False),
    }


def _lines(comparison: Comparison) -> Iterator[str]:
    """Yield the verdict, and below every contender what it breaks."""
    from fairlead.models.outcome_text import SHOWN, verdict

    yield verdict(comparison.best)
    for contender in comparison.contenders:
        yield contender.verdict
        broken = contender.outcome.violations
        yield from (f"  {violation}" for violation in broken[:SHOWN])
        if len(broken) > SHOWN:
            yield f"  ... and {len(broken) - SHOWN} more"
