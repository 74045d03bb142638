"""All of YAML: what its parser finds, handed to a builder."""

from collections.abc import Callable
from typing import Any

import yaml

from fairlead.manifests.yaml.builder import Builder, Values
from fairlead.manifests.yaml.documents import shortened
from fairlead.manifests.yaml.scalars import collection_tag_fits, short_tag
from fairlead.models.errors import ManifestError, Mistake
from fairlead.models.source import Source

# A file with more broken documents than this is not a manifest; the rest of it is left alone.
_MOST_BROKEN = 20

_Parser: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


class EventReader:
    """Hands the events of a YAML parser to a builder, and collects the documents."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.values: Values = []
        # Position of the line where the document that is read begins.
        self.document_line = 0
        self._first = 1

    def read(self, text: str, before: int) -> ManifestError | yaml.YAMLError | None:
        """Read documents from a text that has some lines before it.

        Why a document cannot be read to its end; `document_line` tells which. None where all was read.
        """
        self._first = before + 1
        self.document_line = before
        parser = _Parser(text)
        try:
            self._take_events(parser.get_event)
        except (ManifestError, yaml.YAMLError) as error:
            return error
        finally:
            parser.dispose()
        return None

    def _take_events(self, next_event: Callable[[], Any]) -> None:
        builder, scalar = self.builder, self.builder.scalar
        while (event := next_event()) is not None:
            line = event.start_mark.line + self._first
            match event:
                case yaml.ScalarEvent():
                    plain: bool = event.implicit[0]
                    scalar(event.value, line, plain=plain, tag=event.tag, anchor=event.anchor)
                case yaml.CollectionEndEvent():
                    builder.close()
                case yaml.MappingStartEvent():
                    self._check_tag(event.tag, "map", line)
                    builder.open({}, line, event.anchor)
                case yaml.SequenceStartEvent():
                    self._check_tag(event.tag, "seq", line)
                    builder.open([], line, event.anchor)
                case yaml.AliasEvent(anchor=str(name)):
                    builder.alias(name, line)
                case yaml.DocumentStartEvent():
                    self.document_line = line - 1
                    builder.begin()
                case yaml.DocumentEndEvent():
                    self.values.append(builder.end())

    def _check_tag(self, tag: str | None, name: str, line: int) -> None:
        if not collection_tag_fits(tag, name):
            allowed = f"allowed is !!{name} or none"
            self.builder.note(line, f"has the tag {short_tag(str(tag))}; {allowed}")


def read_yaml(file: str, text: str) -> tuple[Values, list[Mistake], list[Mistake]]:
    """Read YAML documents; return them, what is wrong inside them, and where the text is not YAML."""
    reading = EventReader(Builder(file))
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
        message = f"nothing after this is read, after {_MOST_BROKEN} broken documents"
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
    return Mistake(Source(file, position + 1), "", shortened(" ".join(text.split())), message)
