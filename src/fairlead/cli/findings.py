"""What validate finds, for programs that show it beside the lines of a change: SARIF, GitHub's commands."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import quote

from fairlead.models.source import Source
from fairlead.models.words import escaped

if TYPE_CHECKING:
    from fairlead.models.errors import Mistake
    from fairlead.models.statement import Conflict, Statement

Level = Literal["error", "warning", "note"]

_COMMANDS: dict[Level, str] = {"error": "error", "warning": "warning", "note": "notice"}


class Finding(NamedTuple):
    """One thing that was found."""

    level: Level
    """How grave it is."""
    rule: str
    """Kind of the finding."""
    text: str
    """The sentence."""
    source: Source | None = None
    """Where it stands; None where that is nowhere in particular."""
    related: tuple[tuple[str, Source], ...] = ()
    """What else has to do with it: sentences with their places."""


def of_mistake(mistake: "Mistake") -> Finding:
    """Return what is wrong in the input."""
    return Finding("error", "mistake", mistake.sentence, mistake.source)


def of_statement(statement: "Statement", *, strict: bool) -> Finding:
    """Return a warning, which is an error where one is strict or it was not understood, or a note."""
    from fairlead.models.statement import NOT_UNDERSTOOD

    level: Level = "note" if statement.is_note else "warning"
    if statement.rule == NOT_UNDERSTOOD or (strict and level == "warning"):
        level = "error"
    return Finding(level, statement.rule, statement.text, statement.source)


def of_conflict(conflict: "Conflict") -> Finding:
    """Return rules that cannot hold together; the first one tells the place."""
    text = "no placement keeps these rules: " + "; ".join(rule.text for rule in conflict.rules)
    places = tuple((rule.text, rule.source) for rule in conflict.rules if rule.source)
    return Finding("error", "conflict", text, places[0][1] if places else None, places[1:])


def github(findings: Iterable[Finding]) -> str:
    """Return workflow commands of GitHub, a line each."""
    return "\n".join(map(_command, findings))


def _command(finding: Finding) -> str:
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


def sarif(findings: Sequence[Finding], version: str) -> dict[str, Any]:
    """Return a SARIF log, version 2.1.0."""
    rules = [{"id": rule} for rule in sorted({finding.rule for finding in findings})]
    return {
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "fairlead", "version": version, "rules": rules}},
                "results": [_result(finding) for finding in findings],
            }
        ],
    }


def _result(finding: Finding) -> dict[str, Any]:
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
