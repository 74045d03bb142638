"""``fairlead simulate``: effects of a drain, a loss, a new cluster or other replicas."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from fairlead.cli import console, exits
from fairlead.cli.inputs import Inputs, leaves_untriggered, load_workloads, reads_input
from fairlead.cli.options import (
    ROWS_ONLY,
    gathers,
    picks_rows,
    require_table,
    require_with,
    takes_settings,
    valued,
    writes_output,
)
from fairlead.cli.values import (
    MOST_DIGITS,
    WordChoice,
    complete_amounts,
    complete_clusters,
    complete_files,
    complete_losses,
    complete_places,
    is_whole,
    pair,
)

if TYPE_CHECKING:
    from fairlead.models.problem import Problem
    from fairlead.report.terminal import Rows
    from fairlead.solver.script.played import Played
    from fairlead.solver.simulate.changes import Change

_CODES = {
    0: "everything fits",
    3: "something does not fit, in any scenario",
    4: "no placement was found in time, in any scenario",
}
_USE = f"""\b
Examples:
  fairlead simulate -f fleet.yaml --drain member1
  fairlead simulate -f fleet.yaml --lose region=eu-west --scale shop/api=20
  fairlead simulate -f fleet.yaml --add new-cluster.yaml
  fairlead simulate -f fleet.yaml --sweep region
  fairlead simulate -f fleet.yaml --at max
  fairlead simulate -f fleet.yaml --script week.yaml

{exits.codes(_CODES)}"""


class Asked(NamedTuple):
    """Changes that the command line asks for, as they were written."""

    drain: tuple[str, ...]
    lose: tuple[str, ...]
    cordon: tuple[str, ...]
    restore: tuple[str, ...]
    at: Literal["min", "max"] | None
    scale: tuple[str, ...]
    weight: tuple[str, ...]
    add: tuple[str, ...]


_WHAT = (
    ("--drain", "CLUSTER", complete_clusters, "Close the cluster and move everything off it."),
    (
        "--lose",
        "NAME",
        complete_losses,
        "Lose clusters with all they run: CLUSTER, region=R, zone=Z, provider=P or LABEL=VALUE.",
    ),
    ("--cordon", "CLUSTER", complete_clusters, "Schedule nothing new there; what runs there may stay."),
    ("--restore", "CLUSTER", complete_clusters, "Open the cluster again, whatever taints it has."),
    ("--add", "FILE", complete_files, "Add manifests to the input, such as a new cluster."),
    ("--scale", "WORKLOAD=N", complete_amounts, "Change the number of replicas."),
    ("--weight", "WORKLOAD:CLUSTER=W", complete_places, "Change a static weight."),
)

asks_changes = gathers(
    "asked",
    Asked,
    *(
        valued(name, text, metavar, multiple=True, shell_complete=completes)
        for name, metavar, completes, text in _WHAT
    ),
    valued(
        "--at",
        "Scale every workload with an autoscaler to its minimum or maximum.",
        type=WordChoice(["min", "max"]),
    ),
)
"""Gives a command the options of its changes; it receives them as ``asked``."""

_SWEEP = (
    "Try each by itself: lose every cluster, region, zone, provider or LABEL value; drain every cluster; or"
    " at: every autoscaler at its minimum, and at its maximum."
)
_SCRIPT = (
    "Play dated events (kind Script); every scheduler handles them by itself. The time limit is for each."
)
_SCHEDULER = (
    "Who handles the events of a script: fairlead, fairlead-plan, karmada, karmada-deduct, kubeadmiral or"
    " reference. May be repeated.  [default: all that can]"
)


@click.command("simulate", epilog=_USE)
@reads_input
@asks_changes
@valued("--sweep", _SWEEP, "KIND")
@valued("--script", _SCRIPT, "FILE")
@valued("--scheduler schedulers", _SCHEDULER, "NAME", multiple=True)
@writes_output("table", "wide", "json", "yaml", "html")
@ROWS_ONLY
@picks_rows
@takes_settings
@leaves_untriggered
def simulate_command(
    inputs: Inputs,
    asked: Asked,
    output: console.Format,
    *,
    sweep: str | None,
    script: str | None,
    schedulers: tuple[str, ...],
    no_headers: bool,
    picked: "Rows",
    **settings: Any,
) -> int:
    """Show what would happen after a change: what moves, what no longer fits, how full clusters become.

    All changes may be repeated and combined; they are applied in the order add, restore, at, scale, weight,
    cordon, drain, lose. WORKLOAD is a name, namespace/name or kind/name. If not everything fits, as much as
    possible is placed. Nothing is ever written to a cluster.
    """
    playing = [name for name, value in (("--sweep", sweep), ("--script", script)) if value is not None]
    require_table(output, picked, *playing)
    if script is not None:
        if any(asked) or sweep is not None or settings.pop("as_triggered"):
            raise click.UsageError("--script is played alone: leave out changes, --sweep and --as-triggered")
        answer = _played(inputs, script, schedulers, settings)
        console.show(answer, output, headers=not no_headers, picked=picked)
        return exits.code_of_script(answer)
    require_with("--script", "schedulers")
    if not (any(asked) or sweep is not None):
        raise click.UsageError("nothing to simulate: name a change, such as --drain CLUSTER, or a --sweep")
    problem, changes = load_with_changes(inputs, asked)
    from fairlead.solver.simulate.simulate import simulate

    simulation = simulate(problem, *changes, sweep=sweep, **settings)
    if not inputs.quiet:
        known = set(problem.warnings)
        console.warn(one for one in simulation.after.problem.warnings if one not in known)
    console.show(simulation, output, headers=not no_headers, picked=picked)
    console.suggest(simulation, output)
    return exits.code_of_simulation(simulation)


def _played(
    inputs: Inputs, script: str, schedulers: tuple[str, ...], settings: Mapping[str, Any]
) -> "Played":
    """Read a fleet and a script, and play it; the time limit is for one event, and for a plan."""
    from fairlead.manifests.loading import load, select
    from fairlead.manifests.yaml.reader import read_documents
    from fairlead.solver.script.events import manifests_of, read_script
    from fairlead.solver.script.play import play
    from fairlead.solver.script.schedulers import SolveSettings

    if (*inputs.files, script).count("-") > 1:
        raise click.UsageError("standard input can only be named once, with -f or with --script")
    problem, snapshot = load_workloads(inputs), inputs.snapshot
    sources = [*map(inputs.again, inputs.files), *(snapshot.documents if snapshot else ())]
    documents, _ = read_documents(sources, recursive=inputs.recursive)

    def chosen(manifests: Sequence[Mapping[str, Any]]) -> "Problem":
        found = load(*manifests)
        return select(found, inputs.namespaces, inputs.selector)

    events = read_script(inputs.again(script), manifests_of(documents), chosen, problem)
    return play(problem, events, *schedulers, settings=SolveSettings(dict(settings), settings["time_limit"]))


def load_with_changes(inputs: Inputs, asked: Asked) -> "tuple[Problem, tuple[Change, ...]]":
    """Read the input, and what is to be changed of it, in the order in which that is made.

    Raises `click.UsageError` where a change is written in another form than its own, or standard input or
    one number is named twice.
    """
    if asked.add and (*inputs.files, *asked.add).count("-") > 1:
        raise click.UsageError("standard input can only be named once, with -f or with --add")
    problem, changes = load_workloads(inputs), tuple(_changes(inputs, asked))
    _require_once(problem, changes)
    return problem, changes


def _require_once(problem: "Problem", changes: "Sequence[Change]") -> None:
    """Refuse two numbers for the same, of which only the last would count."""
    from fairlead.models.names import key_meant
    from fairlead.solver.simulate.changes import Scale, Weight

    met: set[tuple[str, ...]] = set()
    for change in changes:
        if isinstance(change, Scale | Weight):
            key = key_meant(problem, change.workload)
            number = ("--scale", key) if isinstance(change, Scale) else ("--weight", key, change.cluster)
            if number in met:
                raise click.UsageError(
                    f"{number[0]} names {' on '.join(number[1:])} twice; which of the two counts?"
                )
            met.add(number)


def _changes(inputs: Inputs, asked: Asked) -> "Iterator[Change]":
    """Yield the changes, in the order in which they are made."""
    from fairlead.solver.simulate.changes import Add, At, Cordon, Drain, Lose, Restore, Scale, Weight

    if asked.add:
        yield Add(inputs.read(*asked.add))
    yield from map(Restore, asked.restore)
    if asked.at is not None:
        yield At(asked.at)
    for text in asked.scale:
        key, number = _assigned(text, "--scale", "WORKLOAD=N")
        yield Scale(key, number)
    for text in asked.weight:
        place, number = _assigned(text, "--weight", "WORKLOAD:CLUSTER=W")
        yield Weight(*pair(place, "WORKLOAD:CLUSTER", ":", "--weight"), number)
    yield from map(Cordon, asked.cordon)
    yield from map(Drain, asked.drain)
    for text in asked.lose:
        field, equals, name = text.rpartition("=")
        yield Lose(name, field) if equals else Lose(text)


def _assigned(text: str, option: str, form: str) -> tuple[str, int]:
    """Read ``NAME=NUMBER``."""
    name, number = pair(text, form, option=option)
    if not is_whole(number):
        wanted = f"a whole number of at most {MOST_DIGITS} digits, and not negative"
        raise click.BadParameter(f"{number!r} in {text!r} is not {wanted}", param_hint=option)
    return name, int(number)
