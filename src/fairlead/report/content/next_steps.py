"""Next steps after an answer: a few sentences with commands to copy."""

import math
import shlex

from fairlead.models.outcome import Outcome, Status
from fairlead.report.content.fleet import shift_of
from fairlead.report.pages import Making

Step = tuple[str, str]
"""A sentence, and the command that does it."""

VALUED = 2
"""Words of an option and its value."""
LONG = 300
"""Seconds that are proposed where time ran out, at least."""


def next_steps(outcome: Outcome, making: Making) -> list[Step]:
    """Return the next steps with a placement: about shortages, and how it gets into the cluster."""
    steps = steps_of(outcome, "solve", making)
    changed = any(any(shift_of(outcome, one)) for one in outcome.problem.with_replicas)
    if outcome.placement is None or outcome.status is Status.INFEASIBLE or not changed:
        return steps
    # A plan keeps to what runs: it does not lead to what would be if nothing ran.
    running = any(any(one.current.values()) for one in outcome.problem.workloads)
    if running and not is_given("--fresh", making):
        planned = command("plan", making, *shlex.split(making.asked))
        return [*steps, ("Plan the moves, wave by wave:", planned)]
    return [*steps, ("Print what to apply:", again("solve", making, "-o", "patch", like="patch"))]


def steps_of(outcome: Outcome, name: str, making: Making) -> list[Step]:
    """Return the next steps about shortages and proofs; a saved plan is not searched again."""
    match outcome.status:
        case Status.INFEASIBLE:
            known = outcome.conflict is not None and outcome.conflict.relaxations
            what = "Make one of the changes" if known else "Change one of the rules"
            told = f"{what} above and run this again"
            if name == "simulate" or is_given("--partial", making):
                return [(f"{told}:", again(name, making))]
            return [(f"{told}; or place as much as possible:", again(name, making, "--partial"))]
        case Status.UNKNOWN:
            return [("Give the search more time:", again(name, making, "--time-limit", longer(making)))]
    steps = []
    short = next((one.key for one in outcome.problem.workloads if outcome.unplaced(one)), None)
    if short is not None:
        if name != "simulate" and not making.changes:  # `why` is about the fleet as it is
            steps.append(("Find out what blocks a workload:", command("why", making, short, "--partial")))
        told = "Write another cluster into new-cluster.yaml, and see what it changes:"
        ask = again if name == "simulate" else command
        steps.append((told, ask("simulate", making, "--add", "new-cluster.yaml")))
    if outcome.status is Status.FEASIBLE and outcome.objectives and not outcome.from_saved:
        steps.append(("Search longer for a proof:", again(name, making, "--time-limit", longer(making))))
    return steps


def is_given(option: str, making: Making) -> bool:
    """Tell whether an option was given."""
    return option in shlex.split(making.command)


def longer(making: Making) -> str:
    """Return seconds that are more than the search had."""
    return str(max(LONG, math.ceil(2 * making.time_limit)))


def again(name: str, making: Making, *words: str, like: str = "") -> str:
    """Return the same command with other words behind it, in the place of the same option with a value.

    `like`: which of the arguments it has; empty for those of its name.
    """
    given = shlex.split(making.arguments.get(like or name, ""))
    if len(words) == VALUED and words[0] in given:
        at = given.index(words[0])
        del given[at : at + VALUED]
    return " ".join(filter(None, ("fairlead", name, shlex.join(given), shlex.join(words))))


def instead(name: str, making: Making, option: str, *words: str) -> str:
    """Return the same command with other words in the place of an option and its value."""
    given = shlex.split(making.arguments.get(name, ""))
    at = given.index(option)
    given[at : at + VALUED] = words
    return " ".join(filter(None, ("fairlead", name, shlex.join(given))))


def command(name: str, making: Making, *words: str) -> str:
    """Return another command on the same input."""
    return " ".join(filter(None, ("fairlead", name, making.inputs, shlex.join(words))))
