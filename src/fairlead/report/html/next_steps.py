"""What to do next: a few sentences with commands to copy."""

from __future__ import annotations

import shlex

from fairlead.models.outcome import Outcome, Status
from fairlead.report.blocks import Steps
from fairlead.report.pages import Making, Section
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.plan.waves import Order
from fairlead.solver.simulate.changes import Drain
from fairlead.solver.simulate.result import Simulation

SLOW = "300"
"""Seconds that are proposed where time ran out."""


def steps_of_outcome(outcome: Outcome, making: Making) -> Section:
    """Return what to do with a placement."""
    return _section([*_steps(outcome, "solve", making), *_carried_out(outcome, making)])


def steps_of_plan(plan: RebalancePlan, making: Making) -> Section:
    """Return what to do with a plan."""
    steps = _steps(plan.outcome, "plan", making)
    waves = plan.waves
    if waves is not None and waves.blocked and waves.options.order is Order.START_FIRST:
        told = "Let old replicas stop first where new ones find no room beside them:"
        steps.append((told, _again("plan", making, "--order", "either")))
    if waves is not None and waves.waves:
        steps.append(("Keep this plan:", _again("plan", making, "--save", "plan.json")))
        if making.from_cluster:
            told = "Carry it out, wave by wave; it asks first:"
            steps.append((told, _again("plan", making, "--resume", "plan.json", "--apply")))
        else:
            told = "Write what to apply, a file for every wave:"
            steps.append((told, _again("plan", making, "--resume", "plan.json", "--waves", "waves")))
    return _section(steps)


def steps_of_simulation(simulation: Simulation, making: Making) -> Section:
    """Return what to do after a simulation."""
    steps = _steps(simulation.after, "simulate", making)
    drained = [
        word for one in simulation.changes if isinstance(one, Drain) for word in ("--drain", one.cluster)
    ]
    if drained and simulation.after.fits:
        steps.append(("Plan the drain, wave by wave:", _command("plan", making, *drained)))
    return _section(steps)


def _steps(outcome: Outcome, name: str, making: Making) -> list[tuple[str, str]]:
    """Return what to do about what is short or not proven."""
    match outcome.status:
        case Status.INFEASIBLE:
            told = "Make one of the changes above and run this again; or place as much as possible:"
            return [(told, _again(name, making, *([] if name == "simulate" else ["--partial"])))]
        case Status.UNKNOWN:
            return [("Give the search more time:", _again(name, making, "--time-limit", SLOW))]
    steps = []
    short = next((one.key for one in outcome.problem.workloads if outcome.unplaced(one)), None)
    if short is not None:
        steps.append(("Ask what is in the way of a workload:", _command("why", making, short)))
        told = "Try what another cluster would change:"
        steps.append((told, _command("simulate", making, "--add", "new-cluster.yaml")))
    if outcome.status is Status.FEASIBLE and outcome.objectives:
        steps.append(("Search longer for a proof:", _again(name, making, "--time-limit", SLOW)))
    return steps


def _carried_out(outcome: Outcome, making: Making) -> list[tuple[str, str]]:
    """Return how a placement gets into the cluster."""
    if outcome.placement is None or outcome.status is Status.INFEASIBLE:
        return []
    if any(any(one.current.values()) for one in outcome.problem.workloads):
        return [("Plan the way there, wave by wave:", _command("plan", making))]
    return [("Write what to apply:", _again("solve", making, "-o", "patch"))]


def _again(name: str, making: Making, *words: str) -> str:
    """Return the same command with other words behind it; the last of an option counts."""
    return " ".join(filter(None, ("fairlead", name, making.arguments, shlex.join(words))))


def _command(name: str, making: Making, *words: str) -> str:
    """Return another command on the same input."""
    return " ".join(filter(None, ("fairlead", name, making.inputs, shlex.join(words))))


def _section(steps: list[tuple[str, str]]) -> Section:
    """Return what to do; empty where there is nothing."""
    return Section("next", "What to do next", (Steps(tuple(steps)),) if steps else ())
