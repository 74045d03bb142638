"""``fairlead plan``: which replicas to move, and in which order; with ``--apply`` how far that is."""

from contextlib import closing
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from fairlead.cli import console, exits, outputs
from fairlead.cli.how_made import Settled
from fairlead.cli.inputs import Inputs, leaves_untriggered, left_as_triggered, reads_input
from fairlead.cli.options import (
    ROWS_ONLY,
    flag,
    gathers,
    picks_rows,
    require_table,
    require_with,
    valued,
    writes_output,
)
from fairlead.cli.outputs import shown
from fairlead.cli.report import planned, read_saved, takes_plan_options
from fairlead.cli.simulate import Asked, asks_changes, load_with_changes
from fairlead.cli.values import WordChoice, seconds
from fairlead.models.words import counted

if TYPE_CHECKING:
    from fairlead.manifests.yaml.documents import Document
    from fairlead.models.problem import Problem
    from fairlead.report.terminal import Rows
    from fairlead.solver.plan.answer import RebalancePlan
    from fairlead.solver.simulate.changes import Change

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
            require_with("--apply", "yes", "dry_run", "patience")
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
        type=WordChoice(["none", "server"]),
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


Output = console.Format | Literal["moves"] | outputs.Patches

_EXIT_CODES = exits.codes(
    {
        0: "planned (with --detailed-exitcode: nothing to do)",
        3: "no target keeps every rule, or something cannot move",
        4: "no target was found in time",
        5: "there is something to do, with --detailed-exitcode",
        6: "not carried out to the end, with --apply",
    }
)


class Files(NamedTuple):
    """The files of a plan: where it is saved, what it goes on with or is compared to, where its waves go."""

    save: str | None
    resume: str | None
    compare: str | None
    waves: str | None

    def require_writable(self) -> None:
        """Refuse what cannot be written, before the search."""
        if self.save is not None:
            outputs.require_writable(self.save)
        if self.waves is not None:
            outputs.require_empty(self.waves)


names_files = gathers(
    "files",
    Files,
    valued("--save", "Save the plan, to continue later.", "FILE", type=click.Path(dir_okay=False)),
    valued(
        "--resume",
        "Continue a saved plan: its target stays, the waves start from what runs now.",
        "FILE",
        cls=Settled,
        type=click.Path(exists=True, dir_okay=False),
    ),
    valued(
        "--compare",
        "Print how the plan differs from a saved one, and nothing where it does not.",
        "FILE",
        type=click.Path(exists=True, dir_okay=False),
    ),
    valued(
        "--waves",
        "Write what to apply into a new or empty directory, one file per wave.",
        "DIR",
        type=click.Path(file_okay=False),
    ),
)
"""Gives a command the options of its files; it receives them as ``files``."""


@click.command("plan", epilog=_EXIT_CODES)
@reads_input
@writes_output("table", "wide", "json", "yaml", "html", "moves", *outputs.PATCHES)
@ROWS_ONLY
@picks_rows
@names_files
@flag("--detailed-exitcode", "Exit with 5 if there is something to do.")
@asks_changes
@leaves_untriggered
@may_apply
@takes_plan_options
def plan_command(
    inputs: Inputs,
    asked: Asked,
    output: Output,
    *,
    no_headers: bool,
    picked: "Rows",
    files: Files,
    applying: Applying,
    detailed_exitcode: bool,
    **options: Any,
) -> int:
    """Plan which replicas to move where, in waves that overload no cluster on the way.

    Without --apply nothing is written to a cluster. `-o moves` prints a line per move, `-o patch` what to
    apply to the objects that change, all at once, `-o status-patch` what belongs in their status
    afterwards. With changes such as `--drain CLUSTER` the plan leads from what runs now to the best
    placement after them. --apply writes the waves one by one, each once the one before is healthy.
    """
    require_table(output, picked, *(["--compare"] if files.compare is not None else []))
    if (applying.apply or output in outputs.PATCHES) and (asked.add or asked.scale or asked.weight):
        what = "--apply" if applying.apply else f"-o {output}"
        raise click.UsageError(f"{what} patches what is there: apply --add, --scale and --weight first")
    applying.require_usable(inputs)
    files.require_writable()
    known = None if files.compare is None else read_saved(files.compare)
    saved = None if files.resume is None else read_saved(files.resume)
    compared = None if known is None else _of_comparisons(output)
    loaded, changes = load_with_changes(inputs, asked)
    problem = left_as_triggered(
        _changed(loaded, changes, quiet=inputs.quiet), as_triggered=options.pop("as_triggered")
    )
    from fairlead.solver.plan.saved import compare_plans

    with shown(options["time_limit"], quiet=inputs.quiet) as progress:
        found = planned(problem, saved, options, progress=progress)
    if files.save is not None:
        import json

        outputs.write(files.save, json.dumps(found.to_dict(), indent=2) + "\n")
    if files.waves is not None:
        outputs.write_waves(found, files.waves)
    if known is not None and compared is not None:
        console.show(compare_plans(known, found), compared, headers=not no_headers)
    # Where there is no new plan, the comparison does not tell why.
    if known is None or (found.waves is None and output in ("table", "wide")):
        _show(found, output, headers=not no_headers, picked=picked)
    if not (applying.apply or files.save or files.waves):
        console.suggest(found, output)
    if applying.apply and found.waves is not None:
        code = carried_out(found, applying, inputs, saved, files.save or files.resume)
        return code or exits.code_of_plan(found, detailed=detailed_exitcode and applying.dry_run == "server")
    return exits.code_of_plan(found, detailed=detailed_exitcode)


def _changed(problem: "Problem", changes: "tuple[Change, ...]", *, quiet: bool) -> "Problem":
    """Return the problem after the changes, and say what they leave without effect."""
    if not changes:
        return problem
    from fairlead.models.validity import completed
    from fairlead.solver.simulate.changed import changed

    after = changed(completed(problem), changes)
    if not quiet:
        known = set(problem.warnings)
        console.warn(one for one in after.warnings if one not in known)
    return after


def _of_comparisons(output: Output) -> console.Format:
    """Return the format where a comparison has it.

    Raises `click.UsageError` where only a plan has it.
    """
    match output:
        case "moves" | "patch" | "status-patch":
            raise click.UsageError(
                f"-o {output} shows one plan; with --compare use table, wide, json or yaml"
            )
        case _:
            return output


def _show(plan: "RebalancePlan", output: Output, *, headers: bool, picked: "Rows") -> None:
    match output:
        case "patch" | "status-patch":
            outputs.show_patches(plan.outcome, output)
        case "moves":
            from fairlead.report import renderer
            from fairlead.report.terminal import Look

            console.rows(plan, renderer.moves(plan, Look(wide=True, headers=headers)))
        case _:
            console.show(plan, output, headers=headers, picked=picked)
