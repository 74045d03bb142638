"""``fairlead validate``: read the input, say what is wrong with it and what can never be placed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

import fairlead
from fairlead.cli import console, exits
from fairlead.cli.findings import Finding, github, of_conflict, of_mistake, of_statement, sarif
from fairlead.cli.options import Inputs, reads_input, writes_output
from fairlead.models.errors import ManifestError

if TYPE_CHECKING:
    from fairlead.models.problem import Problem
    from fairlead.models.statement import Conflict, Statement

_EXIT_CODES = """\b
Exit codes:
  0  valid
  1  unexpected
  2  wrong input or usage; something that was left out, or --strict and a warning
  3  valid, but infeasible"""


_STRICT = "Take warnings for errors."


@click.command("validate", short_help="Say what is wrong with the input.", epilog=_EXIT_CODES)
@reads_input
@writes_output("table", "json", "yaml", "sarif", "github")
@click.option("--strict", is_flag=True, help=_STRICT)
def validate_command(inputs: Inputs, output: str, *, strict: bool) -> int:
    """Say what is wrong with the input, and what can never be placed.

    Only conflicts inside a single workload or with the quota of a namespace are found here; solve finds the
    others. `-o sarif` and `-o github` print what is found for programs that show it beside the lines.
    """
    try:
        problem = inputs.read()
    except ManifestError as error:
        if output == "table":
            raise
        wrong = [
            *map(of_mistake, error.mistakes),
            *(of_statement(one, strict=strict) for one in error.warnings),
        ]
        console.result(_of_findings(wrong, output) or console.serialised(_wrong(error), output))
        return exits.WRONG_INPUT
    from fairlead.solver.conflicts.alone import conflicts
    from fairlead.solver.conflicts.wording import said_once

    alone = conflicts(problem)
    told = said_once(alone, named=len(problem.workloads) > 1)
    found = (*told, *_with_quotas(problem, alone))
    refused = _refused(problem, strict=strict)
    if output in _FOR_PROGRAMS:
        noted = [of_statement(one, strict=strict) for one in problem.warnings]
        console.result(_of_findings([*noted, *map(of_conflict, found)], output))
    elif output == "table":
        if not inputs.quiet:
            console.warn(problem.warnings, every=True)
        console.result(_text(problem, found, len(alone), len(found) - len(told), len(refused)))
    else:
        if not inputs.quiet:
            console.warn(problem.warnings, every=True)
        console.result(console.serialised(_document(problem, found, valid=not refused), output))
    if refused:
        return exits.WRONG_INPUT
    return exits.INFEASIBLE if found else exits.SOLVED


def _refused(problem: "Problem", *, strict: bool) -> list["Statement"]:
    """Return what makes the input wrong: what was not understood; all warnings where one is strict."""
    from fairlead.models.statement import NOT_UNDERSTOOD

    return [one for one in problem.warnings if one.rule == NOT_UNDERSTOOD or (strict and not one.is_note)]


_FOR_PROGRAMS = ("sarif", "github")


def _of_findings(found: Sequence[Finding], output: str) -> str:
    """Return findings in a format of other programs; empty for the formats of our own."""
    if output == "github":
        return github(found)
    return console.serialised(sarif(found, fairlead.__version__), "json") if output == "sarif" else ""


def _with_quotas(problem: "Problem", alone: tuple["Conflict", ...]) -> tuple["Conflict", ...]:
    """Return the conflicts with quotas that do not only concern workloads which fail by themselves."""
    from fairlead.solver.conflicts.quotas import quota_conflicts

    failing = {statement.workload for conflict in alone for statement in conflict.rules}
    return tuple(
        conflict
        for conflict in quota_conflicts(problem)
        if not {statement.workload for statement in conflict.rules} <= {*failing, None}
    )


def _text(
    problem: "Problem", conflicts: tuple["Conflict", ...], alone: int, quotas: int, refused: int
) -> str:
    """Return counts, conflicts and the verdict: how many workloads fail alone, and how many quotas."""
    from fairlead.models.outcome_text import explain
    from fairlead.report.columns import printable, toned

    colour = console.coloured()
    counts = ", ".join(_plural(count, noun) for noun, count in _counts(problem).items())
    wrong = toned("Wrong input", "bad", colour=colour)
    unfit = f"{wrong}: {_plural(refused, 'warning')} above must not be."
    if not conflicts and refused:
        return f"{counts}\n{unfit}"
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
    verdict = f"{toned('Infeasible', 'bad', colour=colour)}: {rest}."
    return "\n".join([*lines, "", verdict, *([unfit] if refused else [])])


def _counts(problem: "Problem") -> dict[str, int]:
    """Return what the input holds."""
    return {
        "cluster": len(problem.clusters),
        "workload": len(problem.with_replicas),
        "policy": len({workload.policy for workload in problem.with_replicas if workload.policy}),
        "replica": sum(workload.replicas for workload in problem.workloads),
        "warning": sum(not warning.is_note for warning in problem.warnings),
    }


def _plural(count: int, noun: str) -> str:
    """Return a number with its noun."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun[:-1]}ies" if noun.endswith("y") else f"{count} {noun}s"


def _document(problem: "Problem", conflicts: tuple["Conflict", ...], *, valid: bool) -> dict[str, Any]:
    """Return the same for programs."""
    from fairlead.models.outcome_document import conflict_document, statement_document

    counts = _counts(problem)
    return {
        "valid": valid,
        "clusters": counts["cluster"],
        "workloads": counts["workload"],
        "policies": counts["policy"],
        "replicas": counts["replica"],
        "warnings": [statement_document(one) for one in problem.warnings if not one.is_note],
        "notes": [statement_document(one) for one in problem.warnings if one.is_note],
        "conflicts": [conflict_document(conflict) for conflict in conflicts],
        "mistakes": [],
    }


def _wrong(error: ManifestError) -> dict[str, Any]:
    """Return the mistakes for programs."""
    from fairlead.models.outcome_document import statement_document

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
        "warnings": [statement_document(one) for one in error.warnings],
    }
