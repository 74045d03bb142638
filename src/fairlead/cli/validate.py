"""``fairlead validate``: read the input, say what is wrong with it and what can never be placed."""

from typing import TYPE_CHECKING, Any

import click

from fairlead.cli import console, exits
from fairlead.cli.options import Inputs, reads_input, writes_output
from fairlead.models.errors import ManifestError

if TYPE_CHECKING:
    from fairlead.models.problem import Problem
    from fairlead.models.statement import Conflict

_EXIT_CODES = """\b
Exit codes:
  0  valid
  1  unexpected
  2  wrong input or usage
  3  valid, but infeasible"""


@click.command("validate", short_help="Say what is wrong with the input.", epilog=_EXIT_CODES)
@reads_input
@writes_output("table", "json", "yaml")
def validate_command(inputs: Inputs, output: str) -> int:
    """Say what is wrong with the input, and what can never be placed.

    Only conflicts inside a single workload or with the quota of a namespace are found here; solve finds the
    others.
    """
    try:
        problem = inputs.read()
    except ManifestError as error:
        if output == "table":
            raise
        console.result(console.serialised(_wrong(error), output))
        return exits.WRONG_INPUT
    from fairlead.solver.conflict import conflicts
    from fairlead.solver.explaining.said_once import said_once

    alone = conflicts(problem)
    told = said_once(alone, named=len(problem.workloads) > 1)
    found = (*told, *_with_quotas(problem, alone))
    if not inputs.quiet:
        console.warn(problem.warnings, every=True)
    if output == "table":
        console.result(_text(problem, found, len(alone), len(found) - len(told)))
    else:
        console.result(console.serialised(_document(problem, found), output))
    return exits.INFEASIBLE if found else exits.SOLVED


def _with_quotas(problem: "Problem", alone: tuple["Conflict", ...]) -> tuple["Conflict", ...]:
    """Return the conflicts with quotas that do not only concern workloads which fail by themselves."""
    from fairlead.solver.quota_conflict import quota_conflicts

    failing = {statement.workload for conflict in alone for statement in conflict.rules}
    return tuple(
        conflict
        for conflict in quota_conflicts(problem)
        if not {statement.workload for statement in conflict.rules} <= {*failing, None}
    )


def _text(problem: "Problem", conflicts: tuple["Conflict", ...], alone: int, quotas: int) -> str:
    """Return counts, conflicts and the verdict: how many workloads fail alone, and how many quotas."""
    from fairlead.models.outcome_text import explain
    from fairlead.report.columns import printable, toned

    colour = console.coloured()
    counts = ", ".join(_plural(count, noun) for noun, count in _counts(problem).items())
    if not conflicts:
        return f"{counts}\n{toned('Valid', 'good', colour=colour)}: no workload contradicts itself."
    lines = [counts]
    for conflict in conflicts:
        lines += ["", "No placement keeps these rules:", *map(printable, explain(conflict))]
    parts = {
        "can never be placed": (alone, "workload"),
        "can never be kept": (quotas, "quota"),
    }
    rest = "; ".join(f"{_plural(count, noun)} {what}" for what, (count, noun) in parts.items() if count)
    return "\n".join([*lines, "", f"{toned('Infeasible', 'bad', colour=colour)}: {rest}."])


def _counts(problem: "Problem") -> dict[str, int]:
    """Return what the input holds."""
    return {
        "cluster": len(problem.clusters),
        "workload": len(problem.workloads),
        "policy": len({workload.policy for workload in problem.workloads if workload.policy}),
        "replica": sum(workload.replicas for workload in problem.workloads),
        "warning": len(problem.warnings),
    }


def _plural(count: int, noun: str) -> str:
    """Return a number with its noun."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun[:-1]}ies" if noun.endswith("y") else f"{count} {noun}s"


def _document(problem: "Problem", conflicts: tuple["Conflict", ...]) -> dict[str, Any]:
    """Return the same for programs."""
    from fairlead.models.outcome_document import conflict_document, statement_document

    counts = _counts(problem)
    return {
        "valid": True,
        "clusters": counts["cluster"],
        "workloads": counts["workload"],
        "policies": counts["policy"],
        "replicas": counts["replica"],
        "warnings": [statement_document(warning) for warning in problem.warnings],
        "conflicts": [conflict_document(conflict) for conflict in conflicts],
        "mistakes": [],
    }


def _wrong(error: ManifestError) -> dict[str, Any]:
    """Return the mistakes for programs."""
    return {
        "valid": False,
        "mistakes": [
            {
                "file": mistake.source.file,
                "line": mistake.source.line,
                "field": mistake.field,
                "value": mistake.value,
                "message": mistake.message,
            }
            for mistake in error.mistakes
        ],
    }
