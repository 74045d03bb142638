"""``fairlead simulate --script``: how a script and its fleet are read, and who plays it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from fairlead.cli.inputs import Inputs, Repeatable, load_workloads

if TYPE_CHECKING:
    from fairlead.models.problem import Problem
    from fairlead.solver.script.played import Played


def played(inputs: Inputs, script: str, schedulers: tuple[str, ...], settings: Mapping[str, Any]) -> "Played":
    """Read a fleet and a script, and play it.

    Parameters
    ----------
    inputs
        The fleet.
    script
        File of the script, or ``-``.
    schedulers
        Who is to handle it; everybody who can where none is named.
    settings
        Arguments of `solve`; the time limit is for the answer to one event, and for a plan.

    Raises
    ------
    click.UsageError
        Where standard input is named twice.
    """
    from fairlead.manifests.loading import load, select
    from fairlead.manifests.yaml.reader import read_documents
    from fairlead.solver.script.play import play
    from fairlead.solver.script.reading import manifests_of, read_script
    from fairlead.solver.script.schedulers import Settings

    if (*inputs.files, script).count("-") > 1:
        raise click.UsageError("standard input can only be named once, with -f or with --script")
    repeatable = Repeatable.of(inputs, (script,))
    problem = load_workloads(repeatable)
    snapshot = repeatable.snapshot()
    sources = [*repeatable.sources(), *(snapshot.documents if snapshot else ())]
    documents, _ = read_documents(sources, recursive=inputs.recursive)

    def chosen(manifests: Sequence[Mapping[str, Any]]) -> "Problem":
        found = load(*manifests)
        return select(found, inputs.namespaces, inputs.selector)

    events = read_script(repeatable.again(script), manifests_of(documents), chosen)
    return play(problem, events, *schedulers, settings=Settings(dict(settings), settings["time_limit"]))
