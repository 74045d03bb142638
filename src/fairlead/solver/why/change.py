"""A bound that could be moved by one, and what exchange it could make worth while."""

from collections.abc import Callable
from dataclasses import dataclass

from fairlead.models.problem import Problem
from fairlead.models.source import Source
from fairlead.solver.why.exchange import Exchanged, Exchanges

Best = Callable[[Exchanges], Exchanged | None]


@dataclass(frozen=True, slots=True)
class Change:
    """A bound that could be moved by one.

    Parameters
    ----------
    action
        What would be done, in the user's words.
    build
        Makes the changed problem.
    source
        Where the bound was declared.
    cluster
        Cluster whose bound it is; None where it is no single cluster's.
    binding
        True where the answer stands at the bound.
    best
        Where the answer was found by marginal allocation: the only exchange that the change could make worth
        while, None where there is none. `best` itself is None where that is not known by formula.
    """

    action: str
    build: Callable[[], Problem]
    source: Source | None = None
    cluster: str | None = None
    binding: bool = True
    best: Best | None = None


def bring_to(cluster: str) -> Best:
    """Return the best exchange that brings a replica to a cluster."""
    return lambda exchanges: exchanges.to(cluster)


def take_from(cluster: str) -> Best:
    """Return the best exchange that takes a replica from a cluster."""
    return lambda exchanges: exchanges.away(cluster)


def between_parts(start: int, end: int) -> Best:
    """Return the best exchange from one part to another."""
    return lambda exchanges: exchanges.across(start, end)


def nothing(exchanges: Exchanges) -> None:
    """Return no exchange: the rule does not bind where marginal allocation found the answer without it."""
    del exchanges
