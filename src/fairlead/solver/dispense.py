"""dispense(): what a greedy scheduler would have done with the same problem."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, NoReturn, get_args

from fairlead.models.check import in_kept_groups
from fairlead.models.errors import UsageError
from fairlead.models.outcome import Outcome, Status
from fairlead.models.problem import Problem
from fairlead.models.score import with_balance
from fairlead.models.shapes import checked
from fairlead.models.validity import completed
from fairlead.models.variants import in_groups
from fairlead.models.words import no_such
from fairlead.solver.answers.attainment import conclude_greedy
from fairlead.solver.dispensers import reference, rules_of_thumb
from fairlead.solver.dispensers.rules_of_thumb import Dispensed
from fairlead.solver.running.deadline import Deadline, TimeOverError

Overcommit = Literal["as-karmada", "deduct"]


def _karmada(problem: Problem, **settings: Any) -> Dispensed:
    """Ask the model of Karmada's scheduler, which is imported where it is asked only."""
    from fairlead.solver.dispensers import karmada

    return karmada.place(problem, **settings)


def _kubeadmiral(problem: Problem, **settings: Any) -> Dispensed:
    """Ask the model of KubeAdmiral's scheduler, which is imported where it is asked only."""
    from fairlead.solver.dispensers import kubeadmiral

    return kubeadmiral.place(problem, **settings)


_REAL: Mapping[str, Callable[..., Dispensed]] = MappingProxyType(
    {"karmada": _karmada, "kubeadmiral": _kubeadmiral}
)
"""Models of real schedulers; they read the manifests themselves."""


def _refer(problem: Problem, deadline: Deadline) -> Dispensed:
    """Ask the reference dispenser, which has no answer where time is over."""

    def late(*_: object) -> NoReturn:
        raise TimeOverError

    return Dispensed(reference.place(problem, deadline=deadline, late=late))


_OWN: Mapping[str, Callable[..., Dispensed]] = MappingProxyType(
    {
        "reference": _refer,
        **{name: partial(rules_of_thumb.place, like=name) for name in rules_of_thumb.DIVISIONS},
    }
)
"""Rules of thumb on fairlead's own rules."""

DISPENSERS: tuple[str, ...] = tuple(sorted({*_REAL, *_OWN}))
"""Names of all dispensers."""


@checked
def dispense(
    problem: Problem,
    like: str = "reference",
    *,
    overcommit: Overcommit = "as-karmada",
    empty_workload_propagation: bool = False,
) -> Outcome:
    """Place greedily, the way a named scheduler does.

    Parameters
    ----------
    problem
        The question.
    like
        ``reference``: fairlead's own greedy, workloads by priority and size, capacity deducted.
        ``karmada``, ``kubeadmiral``: what the real scheduler answers, faults included, workloads by priority
        and name. ``karmada-proposal``, ``karmada-proposal-ceiling``: the two pseudocodes of Karmada's
        proposal of minReplicas, as written. ``webster``: Webster's division of the weights within the bounds;
        ``largest-remainder``: Hamilton's division of the weights. These four look at no capacity.
    overcommit
        Of the real schedulers: ``as-karmada`` lets every workload see the capacity that the clusters report,
        so that several together may take more than there is; ``deduct`` takes off what those before it use.
    empty_workload_propagation
        Karmada's scheduler flag of that name: clusters that are selected and get no replicas keep the
        manifest, see `ClusterDecision.selected`.

    Returns
    -------
    Outcome
        Levels without bounds; broken rules, unplaced replicas among them, are in `violations`. The status is
        INFEASIBLE where replicas are unplaced or the scheduler reports an error; `reason` is then the
        category of the first error, and `placement` what is left behind.

    Raises
    ------
    UsageError
        Where there is no dispenser of that name, or it cannot place a workload of another system.
    """
    settings = {"empty_workload_propagation": empty_workload_propagation}
    return dispense_in_time(completed(problem), like, Deadline(), overcommit=overcommit, **settings)


def dispense_in_time(
    problem: Problem,
    like: str,
    deadline: Deadline,
    *,
    overcommit: Overcommit,
    empty_workload_propagation: bool = False,
) -> Outcome:
    """Place greedily as `dispense` does; the status is UNKNOWN where that takes longer than there is time.

    `problem`: a valid question with all rules, see `fairlead.models.validity.completed`. `like`,
    `overcommit`, `empty_workload_propagation`: as for `dispense`.
    """
    if like not in DISPENSERS:
        raise UsageError(no_such("dispenser", like, DISPENSERS, shown=len(DISPENSERS)))
    if overcommit not in get_args(Overcommit):
        raise UsageError(no_such("overcommit", overcommit, get_args(Overcommit)))
    started = time.perf_counter()
    deduct, propagates = overcommit == "deduct", empty_workload_propagation
    try:
        if like in _REAL:
            answer = _REAL[like](
                problem, deduct=deduct, empty_workload_propagation=propagates, deadline=deadline
            )
        else:
            answer = _OWN[like](problem, deadline=deadline)
    except TimeOverError:
        seconds = {"solve": time.perf_counter() - started}
        return Outcome(Status.UNKNOWN, like, problem, None, seconds=seconds)
    seconds = {"solve": time.perf_counter() - started}
    reason = next(iter(answer.reasons.values()), None)
    named = ((each.key, group) for each in problem.workloads for group in each.groups)
    chosen = {key: group for key, group in named if answer.groups.get(key) == group.name}
    asked = in_kept_groups(in_groups(problem, chosen), answer.placement)
    outcome = conclude_greedy(with_balance(asked), answer.placement, like, seconds, reason)
    return replace(outcome, selected=answer.selected, reasons=answer.reasons)
