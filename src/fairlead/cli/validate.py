"""``fairlead validate``: say what is wrong with the input and what can never be placed, also for programs.

Programs that show it beside the lines of a change read SARIF, or GitHub's commands.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, assert_never
from urllib.parse import quote

import click

from fairlead.cli import console, exits
from fairlead.cli.inputs import UNSELECTED, Inputs, reads_input
from fairlead.cli.options import flag, writes_output
from fairlead.models.errors import ManifestError
from fairlead.models.source import Source
from fairlead.models.words import counted, escaped, plural
from fairlead.models.workload import from_start
from fairlead.version import VERSION

if TYPE_CHECKING:
    from fairlead.models.errors import Mistake
    from fairlead.models.problem import Problem
    from fairlead.models.statement import Conflict, Statement
    from fairlead.solver.conflicts.wording import Contradiction


Level = Literal["error", "warning", "note"]

_COMMANDS: dict[Level, str] = {"error": "error", "warning": "warning", "note": "notice"}


class Diagnostic(NamedTuple):
    """Finding in the input: a mistake, a warning or a note."""

    level: Level
    """Level of the finding, by how grave it is."""
    rule: str
    """Kind of the finding."""
    text: str
    """The sentence."""
    source: Source | None = None
    """Place of the finding; None where it is nowhere in particular."""
    related: tuple[tuple[str, Source], ...] = ()
    """Related places, each with a sentence."""


def of_mistake(mistake: "Mistake") -> Diagnostic:
    """Return a mistake in the input as a finding."""
    return Diagnostic("error", "mistake", mistake.sentence, mistake.source)


def of_statement(statement: "Statement", *, strict: bool) -> Diagnostic:
    """Return a warning or a note, or what makes the input wrong."""
    level: Level = "note" if statement.is_note else "warning"
    if is_refused(statement, strict=strict):
        level = "error"
    return Diagnostic(level, statement.rule, statement.text, statement.source)


def is_refused(statement: "Statement", *, strict: bool) -> bool:
    """Tell whether a warning makes the input wrong: what was not understood, or any where one is strict."""
    from fairlead.models.statement import NOT_UNDERSTOOD

    return statement.rule == NOT_UNDERSTOOD or (strict and not statement.is_note)


def of_conflict(conflict: "Conflict") -> Diagnostic:
    """Return rules that cannot hold together; the first one tells the place."""
    text = "no placement keeps these rules: " + "; ".join(rule.text for rule in conflict.rules)
    places = tuple((rule.text, rule.source) for rule in conflict.rules if rule.source)
    return Diagnostic("error", "conflict", text, places[0][1] if places else None, places[1:])


def _command(finding: Diagnostic) -> str:
    properties = {"title": f"fairlead {finding.rule}"}
    if finding.source is not None and _is_file(finding.source):
        properties = {"file": finding.source.file, "line": str(max(1, finding.source.line)), **properties}
    quoted = {
        name: _data(value).replace(":", "%3A").replace(",", "%2C") for name, value in properties.items()
    }
    listed = ",".join(f"{name}={value}" for name, value in quoted.items())
    return f"::{_COMMANDS[finding.level]} {listed}::{_data(finding.text)}"


def _data(text: str) -> str:
    """Return the text of a command on one line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def sarif(findings: Sequence[Diagnostic]) -> dict[str, Any]:
    """Return a SARIF log, version 2.1.0."""
    rules = [{"id": rule} for rule in sorted({finding.rule for finding in findings})]
    return {
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "fairlead", "version": VERSION, "rules": rules}},
                "results": [_result(finding) for finding in findings],
            }
        ],
    }


def _result(finding: Diagnostic) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": finding.level,
        "message": {"text": escaped(finding.text)},
    }
    if finding.source is not None and _is_file(finding.source):
        result["locations"] = [_location(finding.source)]
    related = [
        {"id": number, **_location(source), "message": {"text": escaped(text)}}
        for number, (text, source) in enumerate(finding.related, start=1)
        if _is_file(source)
    ]
    if related:
        result["relatedLocations"] = related
    return result


def _location(source: Source) -> dict[str, Any]:
    """Return file and line; a file that has no lines is meant as a whole."""
    path = Path(source.file)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="replace")
    region = {"region": {"startLine": source.line}} if source.line else {}
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, **region}}


def _is_file(source: Source) -> bool:
    """Tell whether a source is a file, and no stream or parsed document."""
    return source.file not in ("", "-") and not source.file.startswith("<")


_WRONG = "wrong input or usage; something was left out; --strict and a warning"
_EXIT_CODES = exits.codes({0: "valid", 2: _WRONG, 3: "valid, but infeasible", 4: ""})


@click.command("validate", epilog=_EXIT_CODES)
@reads_input
@writes_output("table", "json", "yaml", "sarif", "github")
@flag("--strict", "Treat warnings as errors.")
def validate_command(
    inputs: Inputs, output: Literal["table", "json", "yaml", "sarif", "github"], *, strict: bool
) -> int:
    """Check the input: what is wrong, and what can never be placed.

    Only conflicts within a single workload or with the quota of a namespace are found here; solve finds the
    others. `-o sarif` and `-o github` print findings for tools that show them next to the lines.
    """
    try:
        problem = inputs.read()
    except ManifestError as error:
        if output == "table":
            raise
        noted = [of_statement(one, strict=strict) for one in error.warnings]
        mistakes = [*map(of_mistake, error.mistakes), *noted]
        console.result(_for_programs(mistakes, partial(_wrong, error), output))
        return exits.WRONG_INPUT
    alone, told = _of_workloads(problem)
    failing = frozenset(each.key for one in alone for each in one.workloads)
    found = (*told, *_with_quotas(problem, failing))
    refused = sum(is_refused(one, strict=strict) for one in problem.warnings)
    if output not in ("sarif", "github") and not inputs.quiet:
        console.warn(problem.warnings, every=True)
    if output == "table":
        console.result(_text(problem, found, len(alone), len(found) - len(told), refused))
    else:
        noted = [of_statement(one, strict=strict) for one in problem.warnings]
        every = [*noted, *map(of_conflict, found)]
        console.result(_for_programs(every, lambda: _document(problem, found, valid=not refused), output))
    if refused:
        return exits.WRONG_INPUT
    return exits.INFEASIBLE if found else exits.SOLVED


def _of_workloads(problem: "Problem") -> tuple[Sequence["Contradiction"], tuple["Conflict", ...]]:
    """Return the conflicts of single workloads, and what is said of them: of several of them once."""
    from fairlead.solver.conflicts.alone import conflicts

    alone = conflicts(problem) if problem.clusters else ()
    if not alone:
        return (), ()
    from fairlead.solver.conflicts.wording import said_once

    if any(len(from_start(each)) > 1 for one in alone for each in one.workloads):
        from fairlead.solver.explaining.explanation import in_every_group

        alone = in_every_group(alone, problem)
    return alone, said_once(alone, named=len(problem.workloads) > 1)


def _for_programs(
    found: Sequence[Diagnostic],
    document: Callable[[], dict[str, Any]],
    output: Literal["json", "yaml", "sarif", "github"],
) -> str:
    """Return findings in a format of other programs, or a document that tells more."""
    match output:
        case "github":
            return "\n".join(map(_command, found))
        case "sarif":
            return console.serialised(sarif(found), "json")
        case "json" | "yaml":
            return console.serialised(document(), output)
        case _:
            assert_never(output)


def _with_quotas(problem: "Problem", failing: frozenset[str]) -> tuple["Conflict", ...]:
    """Return the conflicts with quotas that do not only concern workloads which fail by themselves."""
    from fairlead.solver.conflicts.alone import quota_conflicts

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
    parts = {"can never be placed": (alone, "workload"), "can never be kept": (quotas, "quota")}
    rest = "; ".join(f"{counted(count, noun)} {what}" for what, (count, noun) in parts.items() if count)
    told: list[tuple[str, Tone]] = [(f"Infeasible: {rest}.", "bad")] if conflicts else []
    if refused:
        told.append((f"Wrong input: {counted(refused, 'warning')} above must not be.", "bad"))
    elif not problem.workloads:
        told.append((f"Valid, but nothing to place: {UNSELECTED}.", "notice"))
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

    return {
        "valid": valid,
        **{plural(noun, 0): count for noun, count in _counts(problem).items()},
        "warnings": statement_documents(one for one in problem.warnings if not one.is_note),
        "notes": statement_documents(one for one in problem.warnings if one.is_note),
        "conflicts": [conflict_document(conflict) for conflict in conflicts],
        "mistakes": [],
    }


def _wrong(error: ManifestError) -> dict[str, Any]:
    from fairlead.report.documents.outcome import picked, statement_documents

    return {
        "valid": False,
        "mistakes": [
            {**picked(mistake.source, "file", "line"), **picked(mistake, "field", "value", "message")}
            for mistake in error.mistakes
        ],
        "warnings": statement_documents(error.warnings),
    }
