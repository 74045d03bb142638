"""Rebalance plans as data: moves of replicas, made in waves, from what runs now to a target placement."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from fairlead.models.errors import UsageError
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.quantity import Amount, is_amount, share_of
from fairlead.models.rules.moves import stopped
from fairlead.models.words import shown
from fairlead.models.workload import running as runs


class MoveOrder(StrEnum):
    """Order within a move.

    ``START_FIRST``: the new replica is up before the old one goes; both clusters hold it inside the wave.
    ``STOP_FIRST``: the old one goes first; the workload is short of it inside the wave.
    ``EITHER``: the new one first; the old one first only where nothing else gets on, or where it was found to
    save a wave.
    """

    START_FIRST = "start-first"
    STOP_FIRST = "stop-first"
    EITHER = "either"


@dataclass(frozen=True, slots=True)
class Availability:
    """How many replicas of a workload may be missing or too many inside a wave.

    Shares are taken of the replicas that the target gives the workload; as in a Deployment, the share that
    may be missing is rounded down and the share that may be too many is rounded up.

    Raises `UsageError` where an amount is neither a number of at least 0 nor a share such as ``25%``.
    """

    max_unavailable: Amount | None = None
    """Replicas that may be missing. None: none where the new replica comes first; otherwise 25 % as for a
    Deployment, but at least 1, because nothing could ever stop first with 0. The only replica of a workload
    is therefore away for a moment where stopping first was asked for and nothing is said here."""
    max_surge: Amount | None = None
    """Replicas that may run beyond what is wanted; where more run already, no more than those. None means no
    limit. With 0, nothing moves with the new replica up first."""

    def __post_init__(self) -> None:
        for name, amount in (("max_unavailable", self.max_unavailable), ("max_surge", self.max_surge)):
            if amount is not None and not is_amount(amount):
                raise UsageError(
                    f"{name}: {shown(amount)} is neither a number of replicas nor a share such as 25%"
                )

    def missing(self, wanted: int, order: MoveOrder) -> int:
        """Return how many of the wanted replicas may be missing inside a wave."""
        if self.max_unavailable is not None:
            return share_of(self.max_unavailable, wanted, up=False)
        return 0 if order is MoveOrder.START_FIRST else max(1, share_of("25%", wanted, up=False))

    def surplus(self, wanted: int) -> int | None:
        """Return how many replicas may be too many inside a wave; None means no limit."""
        return None if self.max_surge is None else share_of(self.max_surge, wanted, up=True)


@dataclass(frozen=True, slots=True)
class WaveOptions:
    """How moves may be made.

    Raises `UsageError` where the most moves of a wave are fewer than 1.
    """

    order: MoveOrder = MoveOrder.START_FIRST
    """Order within a move."""
    availability: Availability = field(default_factory=Availability)
    """How many replicas of every workload may be missing or too many inside a wave."""
    detours: bool = True
    """Whether a replica may wait on a third cluster where clusters without room exchange replicas."""
    most_moves: int | None = None
    """Replicas that one wave moves, starts or stops at most; at least 1. None means no limit."""

    def __post_init__(self) -> None:
        if self.most_moves is not None and self.most_moves < 1:
            raise UsageError(
                f"max_moves_per_wave: {shown(self.most_moves)}, but a wave moves at least 1 replica"
            )

    def missing(self, wanted: int) -> int:
        """Return how many of the wanted replicas of a workload may be missing inside a wave."""
        return self.availability.missing(wanted, self.order)


@dataclass(frozen=True, slots=True)
class Move:
    """Replicas of one workload that go from one cluster to another in one wave."""

    workload: str
    """Key of the workload."""
    source: str | None
    """Cluster on which they are stopped; None where new ones are started and none is stopped for them."""
    target: str | None
    """Cluster on which they are started; None where they are stopped for good."""
    replicas: int
    """Number of replicas, at least 1."""
    stop_first: bool = False
    """True where the old replica goes before the new one is there. Without meaning where only one of source
    and target is given."""

    @property
    def kind(self) -> str:
        """Kind of the move: ``move``, ``start`` or ``stop``."""
        return "start" if self.source is None else "stop" if self.target is None else "move"

    @property
    def stops_early(self) -> bool:
        """Whether the old replica goes before anything new is started: it stops first, or for good."""
        return self.source is not None and (self.stop_first or self.target is None)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {
            "workload": self.workload,
            "source": self.source,
            "target": self.target,
            "replicas": self.replicas,
            "order": str(MoveOrder.STOP_FIRST if self.stop_first else MoveOrder.START_FIRST),
        }


@dataclass(frozen=True, slots=True)
class Wave:
    """Moves that are made at once.

    A wave has three steps, each begun when the one before is done everywhere: what stops first or for good is
    stopped; everything new is started and becomes ready; what was replaced is stopped.
    """

    moves: tuple[Move, ...]
    """The moves, in the order of workload, source and target."""

    def __post_init__(self) -> None:
        def place(move: Move) -> tuple[str, str, str, bool]:
            return move.workload, move.source or "", move.target or "", move.stop_first

        object.__setattr__(self, "moves", tuple(sorted(self.moves, key=place)))

    @property
    def replicas(self) -> int:
        """How many replicas the wave moves, starts or stops."""
        return sum(move.replicas for move in self.moves)


@dataclass(frozen=True, slots=True)
class BlockedMove:
    """Move that the plan leaves undone."""

    move: Move
    """The move that cannot be made."""
    reason: str
    """Obstacle and missing amount, in the user's words."""

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, slots=True)
class WavePlan:
    """Waves that lead from what runs now to a target."""

    problem: Problem = field(repr=False)
    """The question; what runs now is `Workload.current`."""
    target: Placement = field(repr=False)
    """The placement to be reached."""
    waves: tuple[Wave, ...]
    """The waves in order; empty where nothing has to move."""
    lower_bound: int = 0
    """No plan that ends where this one ends has fewer waves. Where `detours` is False: no plan that moves
    every replica at most once; otherwise: no plan that leaves alone what is in place."""
    blocked: tuple[BlockedMove, ...] = ()
    """Moves that cannot be made, with the reason of each; with them the plan would end at the target."""
    options: WaveOptions = field(default_factory=WaveOptions)
    """How moves may be made."""
    detours: bool = False
    """True where the plan parks replicas on a cluster that is neither where they were nor where they go."""

    @property
    def complete(self) -> bool:
        """Whether the plan reaches the target."""
        return not self.blocked

    @property
    def proven(self) -> bool:
        """Whether the number of waves is known to be the least possible."""
        return len(self.waves) == self.lower_bound

    @property
    def moves(self) -> int:
        """How many replicas all waves move, start or stop."""
        return sum(wave.replicas for wave in self.waves)

    @property
    def states(self) -> tuple[Placement, ...]:
        """Placements: the one that runs before the first wave, and the one after every wave."""
        found = [running(self.problem)]
        for wave in self.waves:
            found.append(_made(found[-1], wave, whole=True))
        return tuple(found)

    @property
    def waiting(self) -> int:
        """How many replicas are started where they do not stay, and so once more later."""
        before, after = self.states[0], self.states[-1]
        # What is there in the end and was not at first is what stops on the way back.
        staying = sum(stopped(after.of(key), before.of(key)) for key in self.problem.workload_by_key)
        started = (move.replicas for wave in self.waves for move in wave.moves if move.target is not None)
        return sum(started) - staying

    @property
    def fullest(self) -> tuple[Placement, ...]:
        """Placements inside of every wave at its fullest: with started replicas, and those they replace."""
        pairs = zip(self.states, self.waves, strict=False)
        return tuple(_made(before, wave, whole=False) for before, wave in pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values, without the problem and the target."""
        return {
            "waves": [{"moves": [move.to_dict() for move in wave.moves]} for wave in self.waves],
            "lowerBound": self.lower_bound,
            "proven": self.proven,
            "detours": self.detours,
            "waiting": self.waiting,
            "blocked": [{**each.move.to_dict(), "reason": each.reason} for each in self.blocked],
        }


def _made(before: Placement, wave: Wave, *, whole: bool) -> Placement:
    """Return the placement after a wave, or inside of it while replaced replicas are still there."""
    held = {key: Counter(placed) for key, placed in before.items()}
    for move in wave.moves:
        if move.source is not None and (whole or move.stops_early):
            held[move.workload][move.source] -= move.replicas
        if move.target is not None:
            held[move.workload][move.target] += move.replicas
    return Placement(held)


def running(problem: Problem) -> Placement:
    """Return the placement that runs now, on clusters that are still there.

    Replicas on clusters that are not in the input are gone already; what replaces them is started new.
    """
    return Placement({each.key: runs(each, problem.cluster_by_name) for each in problem.workloads})
