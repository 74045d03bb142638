"""place_quickly(): clusters that are chosen greedily keep what rules ask of sets of them."""

from collections.abc import Mapping

from fairlead.models.cluster import CPU, Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Candidates,
    Capacity,
    GroupTotal,
    Spread,
    Survival,
    Total,
    WorkloadRule,
)
from fairlead.models.workload import Workload
from fairlead.solver.exact.quick_placement import place_quickly

REGIONS = {"x": frozenset("abc"), "y": frozenset("de")}
EACH = {name: frozenset({name}) for name in "abcde"}


def placed(
    replicas: int, room: Mapping[str, int], *rules: WorkloadRule, current: Mapping[str, int] | None = None
) -> dict[str, int] | None:
    """Return where a workload is placed on five clusters, of which each has room for so many in all."""
    common = (Candidates(tuple(EACH)), Total())
    workload = Workload(
        "w", "w", replicas, requests={CPU: 1000}, current=current or {}, rules=(*common, *rules)
    )
    free = {name: room[name] - workload.current.get(name, 0) for name in EACH}
    clusters = tuple(Cluster(name, free={CPU: 1000 * count}) for name, count in free.items())
    problem = Problem(clusters, (workload,), (Capacity(),))
    answer = place_quickly(workload, problem, dict(problem.limits), ())
    return None if answer is None else {name: count for name, count in answer.items() if count}


def test_a_region_that_may_not_hold_all_of_it_is_no_room() -> None:
    """All six would fit on a, where they run; x may hold four, so that d is used beside it."""
    room = dict.fromkeys(EACH, 6)
    most = GroupTotal("x", REGIONS["x"], maximum=4)
    found = placed(6, room, Aggregated(), most, current={"a": 6})
    assert found == {"a": 4, "d": 2}


def test_what_survives_a_loss_is_no_room_either() -> None:
    """Of six, three have to be left when x is lost, or y: three on each."""
    found = placed(6, dict.fromkeys(EACH, 6), Aggregated(), Survival("region", REGIONS, 3))
    assert found == {"a": 3, "d": 3}


def test_clusters_that_can_take_nothing_more_do_not_fill_up_a_limit() -> None:
    """Of seven, x may hold four, and takes them on a and b; with c the limit of four leaves d alone of y.

    On d there is room for two, so that e is needed as well.
    """
    room = {"a": 2, "b": 2, "c": 2, "d": 2, "e": 2}
    rules = (
        Spread("region", REGIONS, 2, 2),
        Spread("cluster", EACH, 3, 4),
        GroupTotal("x", REGIONS["x"], maximum=4),
        Aggregated(),
    )
    found = placed(7, room, *rules, current={"a": 2, "b": 2, "c": 2, "d": 1})
    assert found is not None
    assert found == {"a": 2, "b": 2, "d": 2, "e": 1}
