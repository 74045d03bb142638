"""Sentences about rules: what a rule says, and what breaks it."""

from dataclasses import dataclass

from fairlead.models.source import Source


@dataclass(frozen=True, slots=True)
class Statement:
    """What one rule says of one workload and cluster, in the user's words.

    Parameters
    ----------
    rule
        Kind of the rule, such as ``bounds``.
    text
        The sentence.
    source
        Where the rule was declared.
    workload, cluster
        What it is about; None where it is about none in particular.
    """

    rule: str
    text: str
    source: Source | None = None
    workload: str | None = None
    cluster: str | None = None

    def __str__(self) -> str:
        return f"{self.text} ({self.source})" if self.source else self.text


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a placement breaks.

    Parameters
    ----------
    rule
        Kind of the rule, such as ``bounds``.
    text
        What is wrong, in the user's words.
    amount
        By how much, in the rule's unit (replicas, millicores, bytes, clusters).
    source
        Where the rule was declared.
    workload, cluster
        Where it is broken; None where it is about none in particular.
    """

    rule: str
    text: str
    amount: int
    source: Source | None = None
    workload: str | None = None
    cluster: str | None = None

    def __str__(self) -> str:
        return f"{self.text} ({self.source})" if self.source else self.text


@dataclass(frozen=True, slots=True)
class Relaxation:
    """A change that makes an infeasible problem feasible.

    Parameters
    ----------
    text
        What to change, in the user's words.
    change
        Size of the change in the changed rule's unit.
    source
        Where the changed rule was declared; None where nothing was declared there yet.
    """

    text: str
    change: int
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Rules that cannot hold together.

    Parameters
    ----------
    rules
        What each of them says; leaving out any one of them resolves the conflict.
    relaxations
        Changes that make the problem feasible, the cheapest first; may be empty.
    """

    rules: tuple[Statement, ...]
    relaxations: tuple[Relaxation, ...] = ()

    def __str__(self) -> str:
        return "; ".join(str(statement) for statement in self.rules)
