"""What stands where while a wave is under way, and which rules bind at which moment.

A wave has three steps, and four moments are looked at:

``stopped``
    What stops first and what is stopped for good is gone, nothing new is there yet: the fewest replicas.
``under-way``
    As people count a division: what is stopped for good is gone, what moves still counts where it was.
``started``
    Everything new is there, and what it replaces is still there as well: the most replicas.
``after``
    The wave is done; the next one starts from here.

Every other state inside a wave lies between two of these on every cluster, so that a rule which keeps
replicas below something, or above something, holds in all states where it holds at the right moments:

* What clusters can bear counts both copies of a moving replica (``started``, ``after``): capacity, pods,
  grades of nodes, quotas, candidates, the maximum of a cluster, full copies, and workloads that must not
  meet. A quota is what is admitted, so it counts both copies also where it is about all clusters together.
* How a workload is divided as a whole counts a moving replica once: the total and the most groups of a spread
  bind after the wave; so does the most of a group of clusters, such as the exact total of a region, because
  otherwise nothing could ever move inside that region with the new replica up first; the fewest of such a
  group binds ``under-way`` too.
* What has to be running binds with the fewest replicas (``stopped``, ``after``): the minimum of a cluster,
  the fewest groups of a spread, survival. A spread over at least one group says only that something runs;
  that is left to the declared availability.
* Workloads that keep together do so at the moments ``stopped``, ``started`` and ``after``; inside a step
  nobody knows which replica comes first.
* Availability: at ``stopped`` and ``after`` at most so many of the replicas that the target gives a
  workload are missing; at ``started`` at most so many are too many.
* A cluster that a workload may only keep (an untolerated ``NoSchedule``) takes nothing new, even if it held
  more before.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from fairlead.solver.plan.waves import Move

Placed = Mapping[str, int]
"""Replicas of one workload by cluster."""


class Moment(StrEnum):
    """A moment of a wave that is looked at."""

    STOPPED = "stopped"
    UNDER_WAY = "under-way"
    STARTED = "started"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Course:
    """One workload in the course of one wave."""

    before: Placed
    moments: Mapping[Moment, Placed]


def course(before: Placed, moves: Iterable[Move]) -> Course:
    """Return what stands where while the moves of one workload are made.

    Returns
    -------
    Course
        Numbers below 0 where the moves stop what is not there.
    """
    stopped, under_way, started, after = dict(before), dict(before), dict(before), dict(before)
    for move in moves:
        if move.source is not None:
            _add(after, move.source, -move.replicas)
            if move.stops_early:
                _add(stopped, move.source, -move.replicas)
                _add(started, move.source, -move.replicas)
            if move.target is None:
                _add(under_way, move.source, -move.replicas)
        if move.target is not None:
            _add(after, move.target, move.replicas)
            _add(started, move.target, move.replicas)
    moments = {
        Moment.STOPPED: stopped,
        Moment.UNDER_WAY: under_way,
        Moment.STARTED: started,
        Moment.AFTER: after,
    }
    return Course(before, moments)


def _add(placed: dict[str, int], cluster: str, replicas: int) -> None:
    """Change the replicas on a cluster."""
    placed[cluster] = placed.get(cluster, 0) + replicas
