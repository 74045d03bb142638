"""KubeAdmiral's planners: Spread, minima first and then rounds by weight; Binpack, cluster after cluster.

Known faults of the real program that are reproduced here, of Spread:

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

And of Binpack:

* nothing is planned anew until the state of all replicas is known, so a changed total may have no effect;
* the number to add or to remove is measured against the total, not against what the desired plan could place;
* when replicas are added, minima are given once more on top and the limited capacity is not reduced by what
  the cluster holds already;
* nothing looks for the smallest number of clusters.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fairlead.models.errors import UnsupportedError
from fairlead.solver.dispensers.kubeadmiral.inputs import (
    MAXIMUM,
    PlannerInput,
    PlannerPreferences,
    PlannerResult,
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
    """Replicas given so far, by cluster, and those that remain."""

    remaining: int
    plan: dict[str, int] = field(default_factory=dict)
    overflow: dict[str, int] = field(default_factory=dict)


def spread(question: PlannerInput) -> PlannerResult:
    """Divide replicas by weight.

    A plan for every available cluster that has preferences, zeros included.

    `question`: what to divide. Negative numbers are neither supported nor checked, as in the real planner;
    dynamic weights may be negative all the same.

    Raises `UnsupportedError` where negative weights make the real planner run for ever.
    """
    own = question.preferences
    known = {name: one for name in question.available if (one := own.get(name, own.get(EVERY))) is not None}
    # Without avoid_disruption the next run would undo a migration, so what cannot run stays requested.
    keep = question.keep_unschedulable or not question.avoid_disruption
    shares = _shares(queue(known, question.key), question.limited, question.estimated)
    tally = _distribute(shares, question.total)
    desired, overflow = tally.plan, tally.overflow if keep else trimmed(tally.overflow, tally.remaining)
    if not question.avoid_disruption:
        return PlannerResult(desired, overflow)
    want = wrap(sum(desired.values()))

    def removed(running: Mapping[str, int], have: int) -> Mapping[str, int]:
        # Only clusters above their desired number shrink, in the ratio of what they have too much.
        spare = {
            name: PlannerPreferences(wrap(running[name] - count), 0, running[name])
            for name, count in desired.items()
            if count < running[name]
        }
        return _distribute(_shares(queue(spare, question.key), {}, {}), wrap(have - want)).plan

    def added(running: Mapping[str, int], have: int) -> Mapping[str, int]:
        lacking = {
            name: PlannerPreferences(wrap(count - running[name]), 0, _room(question, name, running[name]))
            for name, count in desired.items()
            if count > running[name]
        }
        return _distribute(_shares(queue(lacking, question.key), {}, {}), wrap(want - have)).plan

    return PlannerResult(_undisturbed(question, desired, removed, added), overflow)


def queue(preferences: Mapping[str, PlannerPreferences], key: str) -> list[tuple[str, PlannerPreferences]]:
    """Return the clusters in the order in which they are served: heavy first, then by hash of name and key.

    Equal hashes are left to chance in the real planner; here the name decides.
    """
    return sorted(preferences.items(), key=lambda item: (-item[1].weight, fnv1(item[0] + key), item[0]))


def _shares(
    ordered: Iterable[tuple[str, PlannerPreferences]],
    limited: Mapping[str, int],
    estimated: Mapping[str, int],
) -> list[_Share]:
    """Return the clusters in their order with all limits."""
    shares = []
    for name, one in ordered:
        limit, room = limited.get(name, MAXIMUM), estimated.get(name, MAXIMUM)
        most = limit if one.maximum is None else min(limit, one.maximum)
        shares.append(_Share(name, one.weight, one.minimum, limit, most, room))
    return shares


def _distribute(shares: Sequence[_Share], total: int) -> _Tally:
    """Serve the minima, then divide what is left by weight until nothing moves."""
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


Changed = Callable[[Mapping[str, int], int], Mapping[str, int]]
"""Returns by how much clusters change, given what runs on each and in all."""


def _undisturbed(
    question: PlannerInput, desired: Mapping[str, int], removed: Changed, added: Changed
) -> dict[str, int]:
    """Return the replicas that run now, changed by no more than the difference in total."""
    running = _runnable(question, desired)
    have, want = wrap(sum(running.values())), wrap(sum(desired.values()))
    if have == want:
        return running
    sign, change = (-1, removed(running, have)) if have > want else (1, added(running, have))
    return {name: wrap(count + sign * change.get(name, 0)) for name, count in running.items()}


def _runnable(question: PlannerInput, names: Iterable[str]) -> dict[str, int]:
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
    return None if own is None or own.maximum is None else wrap(own.maximum - running)


def binpack(question: PlannerInput) -> PlannerResult:
    """Divide replicas so that the first clusters are filled first.

    The current replicas unchanged, clusters that are gone included, where it is not time to plan.

    `question`: what to divide; the order of `available` is the order of filling. Weights, the key and ``*``
    play no part.
    """
    if not is_due(question):
        return PlannerResult(dict(question.current))
    keep = question.keep_unschedulable or not question.avoid_disruption
    own = question.preferences
    clusters = [(name, own.get(name, PlannerPreferences())) for name in question.available]
    tally = _fill(_shares(clusters, question.limited, question.estimated), question.total)
    desired, overflow = tally.plan, tally.overflow
    scheduled = _scheduled(question)
    if not keep and scheduled == question.total:
        return PlannerResult(dict(question.scheduled))
    if not question.avoid_disruption:
        return PlannerResult(desired, overflow)
    if not keep:
        overflow = trimmed(overflow, wrap(question.total - scheduled))

    def removed(running: Mapping[str, int], have: int) -> Mapping[str, int]:
        above = (name for name in reversed(question.available) if desired[name] < running[name])
        spare = [(name, PlannerPreferences(maximum=running[name])) for name in above]
        return _fill(_shares(spare, {}, {}), wrap(have - question.total)).plan

    def added(running: Mapping[str, int], have: int) -> Mapping[str, int]:
        # The maximum counts what runs, the minimum does not.
        lacking = [
            (name, PlannerPreferences(0, preference.minimum, _room(question, name, running[name])))
            for name, preference in clusters
            if desired[name] > running[name]
        ]
        return _fill(_shares(lacking, question.limited, {}), wrap(question.total - have)).plan

    return PlannerResult(_undisturbed(question, desired, removed, added), overflow)


def is_due(question: PlannerInput) -> bool:
    """Tell whether it is time to plan.

    It is when a cluster that holds replicas is gone, when a cluster holds more than its limited capacity,
    or when the state of every reported replica is known: as many are scheduled as the cluster can run, or
    all of them.
    """
    available = set(question.available)
    if any(name not in available for name in question.current):
        return True
    if any(count > question.limited.get(name, MAXIMUM) for name, count in question.current.items()):
        return True
    return all(
        count == question.estimated.get(name, question.current.get(name, 0))
        for name, count in question.scheduled.items()
    )


def _fill(shares: Sequence[_Share], total: int) -> _Tally:
    """Serve the minima in turn, then let every cluster take all that is left."""
    tally = _Tally(total)
    _serve_minima(shares, tally)
    for share in shares:
        start = tally.plan[share.name]
        wanted = min(wrap(start + tally.remaining), share.most)
        given = min(wanted, share.estimated)
        if given < wanted:
            tally.overflow[share.name] = max(wanted - given, tally.overflow.get(share.name, 0))
        tally.plan[share.name] = given
        tally.remaining = wrap(tally.remaining - (given - start))
    return tally


def _scheduled(question: PlannerInput) -> int:
    """Return the replicas that found a node on available clusters, each cut to its limited capacity."""
    counts = (
        min(question.scheduled[name], question.limited.get(name, MAXIMUM))
        for name in question.available
        if name in question.scheduled
    )
    return wrap(sum(counts))
