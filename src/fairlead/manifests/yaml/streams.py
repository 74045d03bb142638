"""Documents from the text of a file: YAML, or JSON where YAML refuses it."""

import re

import yaml

from fairlead.manifests.yaml.block import parse_block
from fairlead.manifests.yaml.builder import Builder, Values
from fairlead.manifests.yaml.documents import shortened
from fairlead.manifests.yaml.json_text import Reading, looks_like_json, read_json
from fairlead.manifests.yaml.late import BlockText, JsonText, LateLines
from fairlead.manifests.yaml.quick import parse_json
from fairlead.models.errors import ManifestError, Mistake
from fairlead.models.source import Source

# A file with more broken documents than this is not a manifest; the rest of it is left alone.
_MOST_BROKEN = 20

# These end a line in YAML, and mean nothing in JSON.
_YAML_BREAK = re.compile("[\x85\u2028\u2029]")


def read_text(file: str, text: str) -> tuple[Values, list[Mistake]]:
    """Read every document of a text.

    Parameters
    ----------
    text
        YAML documents separated by ``---``, or JSON documents one after the other.

    Returns
    -------
    tuple
        The documents with their lines, and what is wrong. A broken document costs only itself.
    """
    like_json = looks_like_json(text)
    quick = _read_quick(file, text, like_json=like_json)
    if quick is not None:
        return quick, []
    if like_json and _YAML_BREAK.search(text):
        from_json = read_json(file, text)
        if from_json.is_json:
            return from_json.values, from_json.mistakes
    values, mistakes, broken = _read_yaml(file, text)
    if broken and like_json:
        from_json = read_json(file, text)
        if from_json.is_json or file.endswith(".json"):
            return from_json.values, from_json.mistakes
    return values, mistakes + broken


def _read_quick(file: str, text: str, *, like_json: bool) -> Values | None:
    """Read a text in which everything is plain, without lines; None where something is not."""
    if like_json:
        value = parse_json(text)
        return None if value is None else [(value, LateLines(JsonText(file, text)))]
    found = parse_block(text)
    if found is None:
        return None
    lines = text.split("\n")
    parts = ((value, "\n".join(lines[begin:end]), begin + 1) for value, begin, end in found)
    return [(value, LateLines(BlockText(file, part, first))) for value, part, first in parts]


def _read_yaml(file: str, text: str) -> tuple[Values, list[Mistake], list[Mistake]]:
    """Read YAML documents; return them, what is wrong inside them, and where the text is not YAML."""
    reading = Reading(Builder(file))
    broken: list[Mistake] = []
    lines: list[str] = []
    first, rest = 0, text
    for _ in range(_MOST_BROKEN):
        failure = reading.read(rest, first)
        if failure is None:
            break
        lines = lines or text.splitlines()
        if isinstance(failure, ManifestError):
            reading.builder.mistakes.extend(failure.mistakes)
        else:
            broken.append(_syntax_mistake(file, failure, first, lines))
        following = _next_document(lines, reading.document_line)
        if following is None:
            break
        first, rest = following, "\n".join(lines[following:])
    else:
        message = f"nothing is read from here on, after {_MOST_BROKEN} broken documents"
        broken.append(Mistake(Source(file, first + 1), "", "", message))
    return reading.values, reading.builder.mistakes, broken


def _next_document(lines: list[str], after: int) -> int | None:
    """Return the position of the next document separator behind a line; None where there is none.

    Three dashes at the beginning of a line begin a document wherever they stand, also in a block of text.
    """
    for position in range(after + 1, len(lines)):
        line = lines[position]
        if line.startswith("---") and line[3:4] in ("", " ", "\t"):
            return position
    return None


def _syntax_mistake(file: str, error: yaml.YAMLError, first: int, lines: list[str]) -> Mistake:
    """Return in words where and why a text is not YAML."""
    marked = error if isinstance(error, yaml.MarkedYAMLError) else yaml.MarkedYAMLError(problem=str(error))
    mark = marked.problem_mark or marked.context_mark
    position = first + (mark.line if mark is not None else 0)
    text = lines[position] if position < len(lines) else ""
    message = f"cannot be read as YAML: {marked.problem}"
    if "\t" in text[: len(text) - len(text.lstrip())]:
        message += "; indent with spaces, not with tabs"
    began = marked.context_mark
    if marked.context and began is not None and first + began.line != position:
        message += f" ({marked.context}, from line {first + began.line + 1})"
    return Mistake(Source(file, position + 1), "", shortened(text), message)
