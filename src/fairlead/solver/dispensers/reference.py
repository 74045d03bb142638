"""fairlead's own greedy: one workload after the other, each placed exactly, capacity and quotas deducted.

The floor and the first hint of every solve. Workloads go by priority, then by size, then by name; a workload
that does not fit any more is left unplaced as a whole. Once an answer is due, the others are placed on any
clusters that will do.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from fairlead.models.check import in_kept_group, violations_of
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.quota import Allowance
from fairlead.models.usage import add, usage_of
from fairlead.models.workload import Workload, from_start, settled_in
from fairlead.solver.exact.alone import place_alone
from fairlead.solver.exact.boxes import Available
from fairlead.solver.exact.quick_placement import choose_greedily, place_quickly
from fairlead.solver.running.deadline import Deadline

Otherwise = Callable[[Workload, Problem, Available, Sequence[Allowance]], Mapping[str, int]]
"""Places a workload that does not fit as a whole into what is left of clusters and quotas."""


PlaceOne = Callable[[Workload, Problem, Available, Sequence[Allowance]], Mapping[str, int] | None]
"""Places a workload as a whole, as if it had what is left for itself."""


def place(
    problem: Problem,
    otherwise: Otherwise = lambda *_: {},
    *,
    smallest_first: bool = False,
    deadline: Deadline | None = None,
    late: PlaceOne = place_quickly,
) -> Placement:
    """Place all workloads greedily.

    Every workload placed validly by itself, or as `otherwise` says.

    `otherwise`: what becomes of a workload that finds no valid placement; it holds nothing where that is not
    said. `smallest_first`: True lets workloads go by what one replica needs, the least first, instead of by
    size; priority comes before that all the same. `deadline`: from when on workloads are placed on any
    clusters that will do; None places all of them exactly.
    """
    due = deadline or Deadline()

    def place_one(*asked: Any) -> Mapping[str, int] | None:
        return (place_alone if due.remaining() else late)(*asked)

    steps = _in_turn(problem, place_one, otherwise, {}, smallest_first=smallest_first)
    return Placement({workload.key: answer for workload, answer in steps})


def place_all(
    problem: Problem,
    staying: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
    deadline: Deadline | None = None,
) -> Placement | None:
    """Place all workloads greedily; None as soon as one of them finds no valid place.

    What workloads share is kept as far as it is deducted one after the other: capacity and quotas. Once an
    answer is due, only those are placed exactly that find no place at once.

    `problem` and `deadline`: as for `place`; `staying`: workloads that stay where they are and are not looked
    at, with what they hold there.
    """
    due = deadline or Deadline()

    def place_one(*asked: Any) -> Mapping[str, int] | None:
        return (None if due.remaining() else place_quickly(*asked)) or place_alone(*asked)

    placed = dict(staying)
    for workload, answer in _in_turn(problem, place_one, lambda *_: {}, staying):
        if any(violations_of(in_kept_group(workload, answer), answer)):
            return None
        placed[workload.key] = answer
    return Placement(placed)


def _in_turn(
    problem: Problem,
    place_one: PlaceOne,
    otherwise: Otherwise,
    staying: Mapping[str, Mapping[str, int]],
    *,
    smallest_first: bool = False,
) -> Iterator[tuple[Workload, Mapping[str, int]]]:
    """Yield every workload that does not stay with its place, one after the other; see `place`."""
    available = dict(problem.limits)
    add(available, problem.used({each.key: each.current for each in problem.workloads}), -1)
    quotas = list(problem.allowances)
    for workload in problem.workloads:
        quotas = [each.taking(workload, workload.current) for each in quotas]
    moving = [workload for workload in problem.workloads if workload.key not in staying]
    for workload in sorted(moving, key=lambda each: turn(each, problem, smallest_first=smallest_first)):
        add(available, usage_of(workload, workload.current, problem))
        quotas = [each.giving_back(workload, workload.current) for each in quotas]
        answer = _place_one(workload, problem, available, quotas, place_one)
        answer = answer or otherwise(workload, problem, available, quotas)
        yield workload, answer
        add(available, usage_of(workload, answer, problem), -1)
        quotas = [each.taking(workload, answer) for each in quotas]


def _place_one(
    workload: Workload,
    problem: Problem,
    available: Available,
    quotas: Sequence[Allowance],
    place_it: PlaceOne,
) -> Mapping[str, int]:
    """Place one workload into what is left; nothing where it does not fit as a whole.

    Where no affinity group was chosen for it yet, it gets the first one in which it fits.
    """
    if not workload.settled and workload.groups:
        tries = (settled_in(workload, group) for group in from_start(workload))
        answers = (_place_one(each, problem, available, quotas, place_it) for each in tries)
        return next((answer for answer in answers if answer), {})
    answer = place_it(workload, problem, available, quotas)
    answer = answer or choose_greedily(workload, problem, available, quotas) or {}
    return answer if all(each.fits(workload, answer) for each in quotas) else {}


def turn(workload: Workload, problem: Problem, *, smallest_first: bool = False) -> tuple[int, float, str]:
    """Return the place in the queue: priority, share of the scarcest resource of all or one replica, name."""
    offered = problem.offered
    shares = [
        need * (-1 if smallest_first else workload.replicas) / offered[resource]
        for resource, need in workload.requests.items()
        if offered.get(resource)
    ]
    share = min(shares, default=0.0) if smallest_first else max(shares, default=0.0)
    return -workload.priority, -share, workload.key
