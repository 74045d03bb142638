"""fairlead's own greedy: one workload after the other, each placed exactly, capacity and quotas deducted.

The floor and the first hint of every solve. Workloads go by priority, then by size, then by name; a workload
that does not fit any more is left unplaced as a whole. Once an answer is due, the others are placed on any
clusters that will do.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from fairlead.models.affinity_groups import from_start, settled_in
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.quota import Allowance
from fairlead.models.usage import add, usage_of
from fairlead.models.workload import Workload
from fairlead.solver.alone import place_alone
from fairlead.solver.boxes import Available
from fairlead.solver.deadline import Deadline
from fairlead.solver.greedy_choice import choose_greedily
from fairlead.solver.quick_placing import place_quickly

Otherwise = Callable[[Workload, Problem, Available, Sequence[Allowance]], Mapping[str, int]]
"""Places a workload that does not fit as a whole into what is left of clusters and quotas."""


PlaceOne = Callable[[Workload, Problem, Available, Sequence[Allowance]], Mapping[str, int] | None]
"""Places a workload as a whole, as if it had what is left for itself."""


def place(
    problem: Problem,
    otherwise: Otherwise = lambda *_: {},
    *,
    smallest_first: bool = False,
    staying: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
    deadline: Deadline | None = None,
) -> Placement:
    """Place all workloads greedily.

    Parameters
    ----------
    problem
        The question.
    otherwise
        What becomes of a workload that finds no valid placement; it holds nothing where that is not said.
    smallest_first
        True lets workloads go by what one replica needs, the least first, instead of by size; priority comes
        before that all the same.
    staying
        Workloads that stay where they are, with what they hold there; none where that is not said.
    deadline
        From when on workloads are placed on any clusters that will do; None places all of them exactly.

    Returns
    -------
    Placement
        Every workload placed validly by itself, or as `otherwise` says.
    """
    available = dict(problem.limits)
    held = {workload.key: usage_of(workload, workload.current, problem) for workload in problem.workloads}
    placed: dict[str, Mapping[str, int]] = dict(staying)
    for used in held.values():
        add(available, used, -1)
    quotas = list(problem.allowances)
    for workload in problem.workloads:
        quotas = [each.taking(workload, workload.current) for each in quotas]
    moving = [workload for workload in problem.workloads if workload.key not in staying]
    for workload in sorted(moving, key=lambda each: _turn(each, problem, smallest_first)):
        add(available, held[workload.key])
        quotas = [each.giving_back(workload, workload.current) for each in quotas]
        place_it = place_alone if deadline is None or deadline.remaining() else place_quickly
        answer = _place_one(workload, problem, available, quotas, place_it)
        answer = answer or otherwise(workload, problem, available, quotas)
        placed[workload.key] = answer
        add(available, usage_of(workload, answer, problem), -1)
        quotas = [each.taking(workload, answer) for each in quotas]
    return Placement(placed)


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


def _turn(workload: Workload, problem: Problem, smallest_first: bool) -> tuple[int, float, str]:
    """Return the place in the queue: priority, share of the scarcest resource of all or one replica, name."""
    offered = problem.offered
    shares = [
        need * (-1 if smallest_first else workload.replicas) / offered[resource]
        for resource, need in workload.requests.items()
        if offered.get(resource)
    ]
    share = min(shares, default=0.0) if smallest_first else max(shares, default=0.0)
    return -workload.priority, -share, workload.key
