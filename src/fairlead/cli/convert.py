"""``fairlead convert``: manifests of Karmada as those of KubeAdmiral, and the other way."""

from typing import TYPE_CHECKING, Literal

import click

from fairlead.cli import console, exits
from fairlead.cli.inputs import Inputs, reads_whole_input
from fairlead.cli.options import flag, valued, writes_output
from fairlead.cli.values import WordChoice
from fairlead.models.words import counted, escaped

if TYPE_CHECKING:
    from fairlead.manifests.convert.conversion import Conversion, System

_POLICY = "PropagationPolicy"
"""How the kinds of policies end, in both systems."""

_LOST = "wrong input or usage; something would be lost, and nothing is written"
_USE = f"""\b
Examples:
  fairlead convert -f karmada --to kubeadmiral > kubeadmiral.yaml
  kubectl get clusters,pp,cpp,rb -A -o yaml | fairlead convert -f - --to kubeadmiral

{exits.codes({0: "written", 2: _LOST, 3: "", 4: ""})}"""


@click.command("convert", epilog=_USE)
@reads_whole_input
@valued(
    "--to",
    "System to write for; what is written for it already stays as it is.",
    type=WordChoice(["karmada", "kubeadmiral"]),
    required=True,
)
@flag("--allow-loss", "Write it although something would be lost; what, is said on standard error.")
@flag("--policies-only", "Print only the policies, to apply them.")
@writes_output("yaml", "json")
def convert_command(
    inputs: Inputs, to: "System", output: Literal["json", "yaml"], *, allow_loss: bool, policies_only: bool
) -> int:
    """Rewrite policies, clusters and workloads of one system for the other.

    The whole input is printed: policies one by one, clusters, workloads with the label that names their
    policy, and what runs where. What the other system cannot say becomes a manifest of fairlead's own kinds
    where one can say it; else it is an error that names file, line and field. The result is read again:
    every workload must have the same rules.
    """
    sources, denied = inputs.sources()
    from fairlead.manifests.convert.conversion import SYSTEMS, convert

    converted = convert(*sources, to=to, recursive=inputs.recursive)
    if not inputs.quiet:
        console.warn((*denied, *converted.warnings))
        for note in converted.notes:
            console.note(escaped(f"note: {note}"))
    refused = not allow_loss and (converted.losses or converted.differing)
    _tell(converted, "warning" if allow_loss else "error")
    if refused:
        why = "what is written would mean something else"
        if converted.losses:
            why = f"{SYSTEMS[to]} cannot say {counted(len(converted.losses), 'field')}"
        console.note(f"nothing is written: {why}; --allow-loss writes the rest")
        return exits.WRONG_INPUT
    documents = [
        one for one in converted.documents if not policies_only or str(one["kind"]).endswith(_POLICY)
    ]
    if output == "json":
        console.result(console.serialised({"apiVersion": "v1", "kind": "List", "items": documents}, "json"))
    else:
        from fairlead.manifests.yaml.scalars import to_yaml_stream

        console.result(to_yaml_stream(documents).rstrip("\n"))
    return exits.SOLVED


def _tell(converted: "Conversion", how: str) -> None:
    """Say which fields would be lost; differences in meaning only where these are not why."""
    lines = [*map(str, converted.losses)]
    lines += [] if converted.losses and how == "error" else list(converted.differing)
    for line in lines:
        console.note(escaped(f"{how}: {line}"))
