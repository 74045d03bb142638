"""KubeAdmiral's planner for the replicas strategy Binpack: fill the first cluster, then the next.

Known faults of the real program that are reproduced here:

* nothing is planned anew until the state of all replicas is known, so a changed total may have no effect;
* the number to add or to remove is measured against the total, not against what the desired plan could place;
* when replicas are added, minima are given once more on top and the limited capacity is not reduced by what
  the cluster holds already;
* nothing looks for the smallest number of clusters.
"""

from collections.abc import Mapping, Sequence

from fairlead.solver.dispensers.kubeadmiral.inputs import MAXIMUM, Division, PlannerInput, Preferences, wrap
from fairlead.solver.dispensers.kubeadmiral.planner import runnable, trimmed

Queue = Sequence[tuple[str, Preferences]]


def binpack(question: PlannerInput) -> Division:
    """Divide replicas so that the first clusters are filled first.

    The current replicas unchanged, clusters that are gone included, where it is not time to plan.

    `question`: what to divide; the order of `available` is the order of filling. Weights, the key and ``*``
    play no part.
    """
    if not is_due(question):
        return Division(dict(question.current))
    keep = question.keep_unschedulable or not question.avoid_disruption
    own = question.preferences
    clusters = [(name, own.get(name, Preferences())) for name in question.available]
    desired, overflow = _fill(clusters, question.total, question.limited, question.estimated)
    scheduled = _scheduled(question)
    if not keep and scheduled == question.total:
        return Division(dict(question.scheduled))
    if not question.avoid_disruption:
        return Division(desired, overflow)
    if not keep:
        overflow = trimmed(overflow, wrap(question.total - scheduled))
    return Division(_undisturbed(question, desired), overflow)


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


def _fill(
    clusters: Queue, total: int, limited: Mapping[str, int], estimated: Mapping[str, int]
) -> tuple[dict[str, int], dict[str, int]]:
    """Return plan and overflow: minima in turn, then every cluster takes all that is left."""
    remaining = total
    plan: dict[str, int] = {}
    overflow: dict[str, int] = {}
    for name, preference in clusters:
        wanted = min(preference.minimum, remaining, limited.get(name, MAXIMUM))
        plan[name] = min(wanted, estimated.get(name, MAXIMUM))
        if plan[name] < wanted:
            overflow[name] = wanted - plan[name]
        remaining = wrap(remaining - plan[name])
    for name, preference in clusters:
        start = plan[name]
        most = MAXIMUM if preference.maximum is None else preference.maximum
        wanted = min(wrap(start + remaining), most, limited.get(name, MAXIMUM))
        plan[name] = min(wanted, estimated.get(name, MAXIMUM))
        if plan[name] < wanted:
            overflow[name] = max(wanted - plan[name], overflow.get(name, 0))
        remaining = wrap(remaining - (plan[name] - start))
    return plan, overflow


def _scheduled(question: PlannerInput) -> int:
    """Return the replicas that found a node on available clusters, each cut to its limited capacity."""
    counts = (
        min(question.scheduled[name], question.limited.get(name, MAXIMUM))
        for name in question.available
        if name in question.scheduled
    )
    return wrap(sum(counts))


def _undisturbed(question: PlannerInput, desired: Mapping[str, int]) -> dict[str, int]:
    """Return what runs now, filled up from the first cluster or emptied from the last."""
    running = runnable(question, question.available)
    have, want = wrap(sum(running.values())), wrap(sum(desired.values()))
    if have == want:
        return running
    if have > want:
        spare = [
            (name, Preferences(maximum=running[name]))
            for name in reversed(question.available)
            if desired[name] < running[name]
        ]
        removed, _ = _fill(spare, wrap(have - question.total), {}, {})
        return {name: wrap(count - removed.get(name, 0)) for name, count in running.items()}
    lacking = [
        (name, _room(question, name, running[name]))
        for name in question.available
        if desired[name] > running[name]
    ]
    added, _ = _fill(lacking, wrap(question.total - have), question.limited, {})
    return {name: wrap(count + added.get(name, 0)) for name, count in running.items()}


def _room(question: PlannerInput, name: str, running: int) -> Preferences:
    """Return the preferences for added replicas: the maximum counts what runs, the minimum does not."""
    own = question.preferences.get(name, Preferences())
    maximum = None if own.maximum is None else wrap(own.maximum - running)
    return Preferences(minimum=own.minimum, maximum=maximum)
