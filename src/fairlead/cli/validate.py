"""``fairlead validate``: read the input, say what is wrong with it and what can never be placed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, assert_never

import click

from fairlead.cli import console, exits
from fairlead.cli.findings import Finding, github, of_conflict, of_mistake, of_statement, sarif
from fairlead.cli.inputs import Inputs, reads_input
from fairlead.cli.options import writes_output
from fairlead.models.errors import ManifestError
from fairlead.models.words import counted
from fairlead.version import VERSION

if TYPE_CHECKING:
    from fairlead.models.problem import Problem
    from fairlead.models.statement import Conflict, Statement
    from fairlead.solver.conflicts.wording import Contradiction

_EXIT_CODES = """\b
Exit codes:
  0  valid
  1  unexpected
  2  wrong input or usage; something was left out; --strict and a warning
  3  valid, but infeasible"""


_STRICT = "Treat warnings as errors."


@click.command("validate", short_help="Check the input and report every mistake.", epilog=_EXIT_CODES)
@reads_input
@writes_output("table", "json", "yaml", "sarif", "github")
@click.option("--strict", is_flag=True, help=_STRICT)
def validate_command(
    inputs: Inputs, output: Literal["table", "json", "yaml", "sarif", "github"], *, strict: bool
) -> int:
    """Say what is wrong with the input, and what can never be placed.

    Only conflicts inside a single workload or with the quota of a namespace are found here; solve finds the
    others. `-o sarif` and `-o github` print what is found for programs that show it beside the lines.
    """
    try:
        problem = inputs.read()
    except ManifestError as error:
        if output == "table":
            raise
        console.result(_refusal(error, output, strict=strict))
        return exits.WRONG_INPUT
    from fairlead.solver.conflicts.alone import conflicts

    alone = conflicts(problem) if problem.clusters else ()
    told = _told(alone, named=len(problem.workloads) > 1)
    failing = frozenset(each.key for one in alone for each in one.workloads)
    found = (*told, *_with_quotas(problem, failing))
    refused = _refused(problem, strict=strict)
    if output not in ("sarif", "github") and not inputs.quiet:
        console.warn(problem.warnings, every=True)
    match output:
        case "sarif" | "github":
            noted = [of_statement(one, strict=strict) for one in problem.warnings]
            console.result(_of_findings([*noted, *map(of_conflict, found)], output))
        case "table":
            console.result(_text(problem, found, len(alone), len(found) - len(told), len(refused)))
        case "json" | "yaml":
            console.result(console.serialised(_document(problem, found, valid=not refused), output))
        case _:
            assert_never(output)
    if refused:
        return exits.WRONG_INPUT
    return exits.INFEASIBLE if found else exits.SOLVED


def _told(alone: Sequence["Contradiction"], *, named: bool) -> tuple["Conflict", ...]:
    """Return the conflicts of single workloads, what is said of several of them once."""
    if not alone:
        return ()
    from fairlead.solver.conflicts.wording import said_once

    return said_once(alone, named=named)


def _refusal(
    error: ManifestError, output: Literal["json", "yaml", "sarif", "github"], *, strict: bool
) -> str:
    match output:
        case "json" | "yaml":
            return console.serialised(_wrong(error), output)
        case "sarif" | "github":
            noted = [of_statement(one, strict=strict) for one in error.warnings]
            return _of_findings([*map(of_mistake, error.mistakes), *noted], output)
        case _:
            assert_never(output)


def _refused(problem: "Problem", *, strict: bool) -> list["Statement"]:
    """Return what makes the input wrong: what was not understood; all warnings where one is strict."""
    from fairlead.models.statement import NOT_UNDERSTOOD

    return [one for one in problem.warnings if one.rule == NOT_UNDERSTOOD or (strict and not one.is_note)]


def _of_findings(found: Sequence[Finding], output: Literal["sarif", "github"]) -> str:
    """Return findings in a format of other programs."""
    return github(found) if output == "github" else console.serialised(sarif(found, VERSION), "json")


def _with_quotas(problem: "Problem", failing: frozenset[str]) -> tuple["Conflict", ...]:
    """Return the conflicts with quotas that do not only concern workloads which fail by themselves."""
    from fairlead.solver.conflicts.scarcity import quota_conflicts

    return tuple(
        conflict
        for conflict in quota_conflicts(problem)
        if not {statement.workload for statement in conflict.rules} <= {*failing, None}
    )


def _text(
    problem: "Problem", conflicts: tuple["Conflict", ...], alone: int, quotas: int, refused: int
) -> str:
    """Return counts, conflicts and the verdict: how many workloads fail alone, and how many quotas."""
    from fairlead.report.blocks import Line, Text, Tone, texts
    from fairlead.report.terminal import printed

    groups: list[list[Line]] = []
    if conflicts:
        from fairlead.report.content.outcome import explain

        groups = [texts(["No placement keeps these rules:", *explain(each)]) for each in conflicts]
    parts = {
        "can never be placed": (alone, "workload"),
        "can never be kept": (quotas, "quota"),
    }
    rest = "; ".join(f"{counted(count, noun)} {what}" for what, (count, noun) in parts.items() if count)
    told: list[tuple[str, Tone]] = [(f"Infeasible: {rest}.", "bad")] if conflicts else []
    if refused:
        told.append((f"Wrong input: {counted(refused, 'warning')} above must not be.", "bad"))
    elif not conflicts:
        unknown = "" if problem.clusters else " Whether workloads fit is not known without clusters."
        told.append((f"Valid: no workload contradicts itself.{unknown}", "good"))
    verdicts: list[Line] = [Text(text, tone, text.index(":")) for text, tone in told]
    counts = texts([", ".join(counted(count, noun) for noun, count in _counts(problem).items())])
    found = [counts, *groups, verdicts] if groups else [[*counts, *verdicts]]
    return printed(found, console.look())


def _counts(problem: "Problem") -> dict[str, int]:
    return {
        "cluster": len(problem.clusters),
        "workload": len(problem.with_replicas),
        "policy": len({workload.policy for workload in problem.with_replicas if workload.policy}),
        "replica": sum(workload.replicas for workload in problem.workloads),
        "warning": sum(not warning.is_note for warning in problem.warnings),
    }


def _document(problem: "Problem", conflicts: tuple["Conflict", ...], *, valid: bool) -> dict[str, Any]:
    from fairlead.report.documents.outcome import conflict_document, statement_documents

    counts = _counts(problem)
    return {
        "valid": valid,
        "clusters": counts["cluster"],
        "workloads": counts["workload"],
        "policies": counts["policy"],
        "replicas": counts["replica"],
        "warnings": statement_documents(one for one in problem.warnings if not one.is_note),
        "notes": statement_documents(one for one in problem.warnings if one.is_note),
        "conflicts": [conflict_document(conflict) for conflict in conflicts],
        "mistakes": [],
    }


def _wrong(error: ManifestError) -> dict[str, Any]:
    from fairlead.report.documents.outcome import statement_documents
    from fairlead.report.documents.values import picked

    return {
        "valid": False,
        "mistakes": [
            {**picked(mistake.source, "file", "line"), **picked(mistake, "field", "value", "message")}
            for mistake in error.mistakes
        ],
        "warnings": statement_documents(error.warnings),
    }
