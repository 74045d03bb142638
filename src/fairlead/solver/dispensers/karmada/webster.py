"""Webster's division, as the scheduler computes it.

Seats go one by one to the largest weight / (2 * seats so far + 1), compared as 64-bit floats. A tie goes to
the cluster with fewer seats, then to the first name, or to the last one where the UID of the workload says
so.
"""

import heapq
from collections.abc import Mapping

_FNV_OFFSET = 2166136261
_FNV_PRIME = 16777619


def names_descending(uid: str) -> bool:
    """Tell whether ties go to the last name: where the 32-bit FNV-1a hash of a UID is odd. No UID: no."""
    if not uid:
        return False
    hashed = _FNV_OFFSET
    for byte in uid.encode():
        hashed = (hashed ^ byte) * _FNV_PRIME % 2**32
    return hashed % 2 == 1


def divide(replicas: int, weights: Mapping[str, int], *, descending: bool = False) -> dict[str, int]:
    """Divide replicas by weight.

    Parameters
    ----------
    replicas
        Replicas to be divided.
    weights
        Weight by cluster.
    descending
        Whether ties go to the last name instead of the first.

    Returns
    -------
    dict
        Replicas by cluster, those with 0 left out; empty where all weights are 0.
    """
    names = sorted((name for name, weight in weights.items() if weight > 0), reverse=descending)
    if not names or replicas <= 0:
        return {}
    seats = _certain_seats(replicas, [weights[name] for name in names])
    queue = [
        (-(weights[name] / (2 * held + 1)), held, turn)
        for turn, (name, held) in enumerate(zip(names, seats, strict=True))
    ]
    heapq.heapify(queue)
    for _ in range(replicas - sum(seats)):
        _, held, turn = queue[0]
        seats[turn] = held + 1
        heapq.heapreplace(queue, (-(weights[names[turn]] / (2 * held + 3)), held + 1, turn))
    return {name: held for name, held in zip(names, seats, strict=True) if held}


def _certain_seats(replicas: int, weights: list[int]) -> list[int]:
    """Return seats that the queue would give in any case, to begin with.

    With n clusters, W the sum of weights and N replicas, at most N seats have a quotient of at least W / (2 N
    - n), so all of these come first. One less for each cluster leaves more than any rounding of floats can
    change.
    """
    total = sum(weights)
    doubled = 2 * replicas - len(weights)
    if doubled <= 0:
        return [0] * len(weights)
    return [max(0, (weight * doubled + total) // (2 * total) - 1) for weight in weights]
