"""``fairlead schema``: the JSON Schema of our own kinds."""

import click

from fairlead.cli import console

KINDS = (
    "GroupBounds",
    "HierarchicalWeights",
    "MoveBudget",
    "PriceList",
    "Profile",
    "Survival",
    "WorkloadAffinity",
)
"""Names of the kinds; known here, so that help and completion need not read the API types."""

_USE = f"""\b
Kinds:
  {", ".join(KINDS)}

\b
Example:
  fairlead schema PriceList > pricelist.schema.json"""


@click.command("schema", short_help="Print the JSON Schema of fairlead's own kinds.", epilog=_USE)
@click.argument("kind", required=False, metavar="[KIND]", type=click.Choice(KINDS, case_sensitive=False))
@click.option(
    "-o",
    "--output",
    type=click.Choice(["json", "yaml"]),
    default="json",
    show_default=True,
    help="Format of the result.",
)
def schema_command(kind: str | None, output: str) -> int:
    """Print the JSON Schema of a kind of fairlead.io/v1alpha1.

    Without KIND, one schema that accepts every kind.
    """
    from fairlead.manifests.own.schema import json_schema

    console.result(console.serialised(json_schema(kind), output))
    return 0
