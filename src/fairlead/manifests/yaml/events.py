"""From the events of a YAML parser to documents with lines."""

from collections.abc import Callable
from typing import Any

import yaml

from fairlead.manifests.yaml.builder import Builder, Values
from fairlead.manifests.yaml.scalars import collection_tag_fits, short_tag
from fairlead.models.errors import ManifestError

_Parser: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


class Reading:
    """Hands the events of a YAML parser to a builder, and collects the documents."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.values: Values = []
        # Position of the line where the document that is read begins.
        self.document_line = 0
        self._first = 1
        self._handlers = {
            yaml.DocumentStartEvent: self._begin,
            yaml.DocumentEndEvent: self._end,
            yaml.MappingStartEvent: self._open_mapping,
            yaml.MappingEndEvent: self._close,
            yaml.SequenceStartEvent: self._open_list,
            yaml.SequenceEndEvent: self._close,
            yaml.AliasEvent: self._alias,
        }

    def read(self, text: str, before: int) -> ManifestError | yaml.YAMLError | None:
        """Read documents from a text that has some lines before it.

        Returns
        -------
        ManifestError, yaml.YAMLError or None
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
        scalar = self.builder.scalar
        handlers = self._handlers
        while (event := next_event()) is not None:
            if isinstance(event, yaml.ScalarEvent):
                mark: Any = event.start_mark
                line = mark.line + self._first
                scalar(event.value, line, plain=event.implicit[0], tag=event.tag, anchor=event.anchor)
            elif type(event) in handlers:
                handlers[type(event)](event)

    def _begin(self, event: Any) -> None:
        self.document_line = event.start_mark.line + self._first - 1
        self.builder.begin()

    def _end(self, _event: Any) -> None:
        self.values.append(self.builder.end())

    def _open_mapping(self, event: Any) -> None:
        self._check_tag(event, "map")
        self.builder.open({}, event.start_mark.line + self._first, event.anchor)

    def _open_list(self, event: Any) -> None:
        self._check_tag(event, "seq")
        self.builder.open([], event.start_mark.line + self._first, event.anchor)

    def _check_tag(self, event: Any, name: str) -> None:
        if not collection_tag_fits(event.tag, name):
            message = f"has the tag {short_tag(event.tag)}; allowed is !!{name} or none"
            self.builder.note(event.start_mark.line + self._first, message)

    def _close(self, _event: Any) -> None:
        self.builder.close()

    def _alias(self, event: Any) -> None:
        self.builder.alias(event.anchor, event.start_mark.line + self._first)
