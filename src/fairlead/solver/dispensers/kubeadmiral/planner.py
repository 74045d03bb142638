"""KubeAdmiral's planner for the replicas strategy Spread: minima first, then rounds by weight.

Known faults of the real program that are reproduced here:

* every share is rounded up, heavy clusters first, so the last clusters get too little or nothing;
* a cluster of weight 0 gets its minimum only, and replicas that find no place vanish without a word;
* minima above the total are served to the first clusters, maxima do not bind the minimum pass: a minimum
  above the maximum is kept where nothing else is left to divide, and otherwise cut back in the next round,
  when what is freed may be lost;
* the part above the estimated capacity is counted once in the minimum pass and again in every round, so
  plan and overflow together can pass the maximum and the limited capacity;
* each overflow is cut to the unplaced replicas by itself, not their sum;
* with avoid_disruption a running total that equals the wanted total is kept although it breaks bounds;
* when replicas are added, the maximum of ``*`` is forgotten;
* products are 64-bit integers and wrap.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fairlead.models.errors import UnsupportedError
from fairlead.solver.dispensers.kubeadmiral.inputs import (
    MAXIMUM,
    Division,
    PlannerInput,
    Preferences,
    divide,
    fnv1,
    wrap,
)

EVERY = "*"
"""Name of the preferences of clusters that have none of their own."""


@dataclass(frozen=True, slots=True)
class _Share:
    """A cluster in the queue with all its limits; `MAXIMUM` where there is none."""

    name: str
    weight: int
    minimum: int
    limited: int
    most: int
    estimated: int


@dataclass(slots=True)
class _Tally:
    """What has been given so far."""

    remaining: int
    plan: dict[str, int] = field(default_factory=dict)
    overflow: dict[str, int] = field(default_factory=dict)


def spread(question: PlannerInput) -> Division:
    """Divide replicas by weight.

    A plan for every available cluster that has preferences, zeros included.

    `question`: what to divide. Negative numbers are neither supported nor checked, as in the real planner;
    dynamic weights may be negative all the same.

    Raises `UnsupportedError` where negative weights make the real planner run for ever.
    """
    own = question.preferences
    preferences = {name: own.get(name, own.get(EVERY)) for name in question.available}
    known = {name: preference for name, preference in preferences.items() if preference is not None}
    # Without avoid_disruption the next run would undo a migration, so what cannot run stays requested.
    keep = question.keep_unschedulable or not question.avoid_disruption
    tally = _distribute(queue(known, question.key), question.total, question.limited, question.estimated)
    overflow = tally.overflow if keep else trimmed(tally.overflow, tally.remaining)
    if not question.avoid_disruption:
        return Division(tally.plan, overflow)
    return Division(_undisturbed(question, tally.plan), overflow)


def queue(preferences: Mapping[str, Preferences], key: str) -> list[tuple[str, Preferences]]:
    """Return the clusters in the order in which they are served: heavy first, then by hash of name and key.

    Equal hashes are left to chance in the real planner; here the name decides.
    """
    return sorted(preferences.items(), key=lambda item: (-item[1].weight, fnv1(item[0] + key), item[0]))


def _distribute(
    ordered: Iterable[tuple[str, Preferences]],
    total: int,
    limited: Mapping[str, int],
    estimated: Mapping[str, int],
) -> _Tally:
    """Serve the minima, then divide what is left by weight until nothing moves."""
    shares = []
    for name, preference in ordered:
        limit = limited.get(name, MAXIMUM)
        most = limit if preference.maximum is None else min(limit, preference.maximum)
        room = estimated.get(name, MAXIMUM)
        shares.append(_Share(name, preference.weight, preference.minimum, limit, most, room))
    tally = _Tally(total)
    _serve_minima(shares, tally)
    moved = True
    while moved and tally.remaining > 0:
        weights = wrap(sum(share.weight for share in shares))
        if weights <= 0:
            break
        before, candidates = tally.remaining, shares
        shares, moved = _serve_weights(shares, weights, tally)
        if moved and tally.remaining >= before and len(shares) == len(candidates):
            _refuse_endless(shares)
    return tally


def _refuse_endless(shares: Sequence[_Share]) -> None:
    """Stop where a round has left no less than there was, and no limit will ever close a cluster.

    Negative weights, which give replicas back, can do that; the next round then leaves no less either.
    """
    lightest = min(shares, key=lambda share: share.weight)
    growing = [share for share in shares if share.weight > 0]
    if lightest.weight < 0 and all(min(share.most, share.estimated) == MAXIMUM for share in growing):
        raise UnsupportedError(
            f"the weight {lightest.weight} of {lightest.name} gives back all that a round places: "
            "KubeAdmiral's planner does not end here"
        )


def _serve_minima(shares: Sequence[_Share], tally: _Tally) -> None:
    """Give every cluster its minimum as long as there is something; the maximum does not bind here."""
    for share in shares:
        wanted = min(share.minimum, tally.remaining, share.limited)
        if share.estimated < wanted:
            tally.overflow[share.name] = wanted - share.estimated
            wanted = share.estimated
        tally.remaining = wrap(tally.remaining - wanted)
        tally.plan[share.name] = wanted


def _serve_weights(shares: Sequence[_Share], weights: int, tally: _Tally) -> tuple[list[_Share], bool]:
    """Divide what is left by weight once; return the clusters with room left and whether any cluster grew."""
    whole = tally.remaining
    plan = tally.plan
    open_shares = []
    grew = False
    for share in shares:
        start = plan[share.name]
        extra = divide(wrap(whole * share.weight + weights - 1), weights)
        wanted = wrap(start + min(extra, tally.remaining))
        given = min(wanted, share.most)
        if given > share.estimated:
            tally.overflow[share.name] = wrap(tally.overflow.get(share.name, 0) + given - share.estimated)
            given = share.estimated
        if given == wanted:
            open_shares.append(share)
        tally.remaining = wrap(tally.remaining - (given - start))
        plan[share.name] = given
        grew = grew or given > start
    return open_shares, grew


def trimmed(overflow: Mapping[str, int], unplaced: int) -> dict[str, int]:
    """Return each overflow cut to the replicas that found no place; their sum may still be too large."""
    cut = {name: min(count, unplaced) for name, count in overflow.items()}
    return {name: count for name, count in cut.items() if count > 0}


def _undisturbed(question: PlannerInput, desired: Mapping[str, int]) -> dict[str, int]:
    """Return what runs now, changed by no more than the difference in total."""
    running = runnable(question, desired)
    have, want = wrap(sum(running.values())), wrap(sum(desired.values()))
    if have == want:
        return running
    if have > want:
        # Only clusters above their desired number shrink, in the ratio of what they have too much.
        spare = {
            name: Preferences(wrap(running[name] - count), 0, running[name])
            for name, count in desired.items()
            if count < running[name]
        }
        removed = _distribute(queue(spare, question.key), wrap(have - want), {}, {}).plan
        return {name: wrap(count - removed.get(name, 0)) for name, count in running.items()}
    lacking = {
        name: Preferences(wrap(count - running[name]), 0, _room(question, name, running[name]))
        for name, count in desired.items()
        if count > running[name]
    }
    added = _distribute(queue(lacking, question.key), wrap(want - have), {}, {}).plan
    return {name: wrap(count + added.get(name, 0)) for name, count in running.items()}


def runnable(question: PlannerInput, names: Iterable[str]) -> dict[str, int]:
    """Return the current replicas that may stay: cut to the limited and the estimated capacity."""
    return {
        name: min(
            question.current.get(name, 0),
            question.limited.get(name, MAXIMUM),
            question.estimated.get(name, MAXIMUM),
        )
        for name in names
    }


def _room(question: PlannerInput, name: str, running: int) -> int | None:
    """Return how many replicas may be added to a cluster; the maximum of ``*`` is forgotten here."""
    own = question.preferences.get(name)
    if own is None or own.maximum is None:
        return None
    return wrap(own.maximum - running)
