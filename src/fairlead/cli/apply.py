"""``fairlead plan --apply``: the options, the question, and how far it is."""

from contextlib import closing
from typing import TYPE_CHECKING, Literal, NamedTuple

import click

from fairlead.cli import console, exits
from fairlead.cli.inputs import Inputs
from fairlead.cli.options import flag, gathers, valued
from fairlead.cli.values import Choice, seconds
from fairlead.models.words import counted

if TYPE_CHECKING:
    from fairlead.manifests.yaml.documents import Document
    from fairlead.solver.plan.answer import RebalancePlan


SHOWN = 5
"""Workloads that are named before a plan is carried out."""


class Applying(NamedTuple):
    """Whether and how a plan is carried out: unasked, only checked by the server, how patiently."""

    apply: bool
    yes: bool
    dry_run: Literal["none", "server"]
    patience: float | None

    def require_usable(self, inputs: Inputs) -> None:
        """Refuse options that do not fit, before the search.

        Raises `click.UsageError` saying which.
        """
        if not self.apply:
            if self.yes or self.dry_run != "none":
                raise click.UsageError("--yes and --dry-run belong to --apply")
            return
        if not inputs.from_cluster or inputs.files:
            raise click.UsageError("--apply needs the cluster itself as input: --context NAME, without -f")
        if not (self.yes or self.dry_run == "server") and not console.is_answered():
            raise click.UsageError(
                "--apply asks before it writes, and there is no terminal to answer: add --yes"
            )


may_apply = gathers(
    "applying",
    Applying,
    flag("--apply", "Carry the plan out, wave by wave; asks first."),
    flag("--yes", "With --apply: do not ask for confirmation."),
    valued(
        "--dry-run",
        "With --apply: let the server check every write, but persist nothing.",
        type=Choice(["none", "server"]),
        default="none",
        show_default=False,
    ),
    valued(
        "--wave-timeout patience",
        "With --apply: stop if a wave is not healthy after this time; 0 or none: wait forever.",
        "SECONDS",
        type=seconds,
        default="600",
    ),
)
"""Gives a command the options by which it is carried out; it receives them as ``applying``."""


def carried_out(
    found: "RebalancePlan", applying: Applying, inputs: Inputs, saved: "Document | None", resume: str | None
) -> int:
    """Carry out a plan after a yes, and return the exit code.

    `saved`: the plan that it goes on with; None where it is new. `resume`: file with which to go on where it
    stops; None where there is none.
    """
    from fairlead.controller.applying import Carrying, StoppedError, carry_out
    from fairlead.controller.steps import absences, steps_of
    from fairlead.live.client import connect

    if exits.signal_was_heard():
        console.note("the search was interrupted: nothing was written")
        return exits.STOPPED
    waves = steps_of(found)
    begun = _moved(saved)
    _warn_of(absences(waves))
    if waves and not (applying.yes or applying.dry_run == "server"):
        objects = len({step.path for wave in waves for step in wave})
        question = f"Write {counted(objects, 'object')} in {counted(len(waves), 'wave')}?"
        if not console.is_agreed(question):
            console.note("nothing was written")
            return exits.STOPPED
    carrying = Carrying(applying.dry_run == "server", applying.patience)
    try:
        with closing(connect(inputs.context, inputs.kubeconfig)) as client:
            carry_out(client, found, carrying, console.note, begun)
    except StoppedError as error:
        again = f"--resume {resume}" if resume else "a new plan"
        rest = f"What was written stays. Continue with {again}, which starts from what runs then."
        console.note(str(error) if carrying.dry_run else f"{error}\n{rest}")
        return exits.STOPPED
    return exits.SOLVED


def _warn_of(absences: list[str]) -> None:
    """Say which replicas are away for a while."""
    if not absences:
        return
    more = [f"and {counted(len(absences) - SHOWN, 'more workload')}"] if len(absences) > SHOWN else []
    lines = [
        "Karmada stops what moves without waiting for the new replicas (--max-surge makes waves smaller).",
        "Unavailable at the same time:",
        *(f"  {line}" for line in (*absences[:SHOWN], *more)),
    ]
    console.note("\n".join(lines))


def _moved(saved: "Document | None") -> frozenset[str]:
    if saved is None:
        return frozenset()
    from fairlead.solver.plan.saved import validated

    planned = validated(saved).waves
    return frozenset(move.workload for wave in (planned.waves if planned else ()) for move in wave.moves)
