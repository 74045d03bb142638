"""What a parser of YAML, and the tokens of JSON, hand to a builder: documents with lines."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from fairlead.manifests.yaml.builder import DEEPEST, Builder, Values
from fairlead.manifests.yaml.documents import shortened
from fairlead.manifests.yaml.scalars import collection_tag_fits, short_tag
from fairlead.models.errors import ManifestError, Mistake
from fairlead.models.source import Source

_BEGIN = re.compile(r"\s*[{\[]")
_SPACE = re.compile(r"\s*")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_SURROGATE = re.compile("[\ud800-\udfff]")

# Numbers are left as text: they are resolved like those of YAML.
_decoder = json.JSONDecoder(parse_int=str, parse_float=str)


@dataclass(frozen=True, slots=True)
class JsonReading:
    """What came of reading a text as JSON."""

    is_json: bool
    """Whether the text is JSON at all; if not, the mistake says where it stops being JSON."""
    values: Values
    mistakes: list[Mistake]


def looks_like_json(text: str) -> bool:
    """Tell whether a text begins like a JSON object or list."""
    return _BEGIN.match(text) is not None


def read_json(file: str, text: str) -> JsonReading:
    """Read JSON documents that stand one after the other."""
    builder = Builder(file)
    values: Values = []
    line = 1
    before = 0
    try:
        for begin, end in _spans(text):
            line += text.count("\n", before, begin)
            before = begin
            build(builder, text, begin, end, line)
            values.append(builder.end())
    except ManifestError as error:
        return JsonReading(True, values, [*builder.mistakes, *error.mistakes])
    except json.JSONDecodeError as error:
        # A text that ends with a line break is missed after its last line.
        shown = shortened("".join(text.splitlines()[error.lineno - 1 : error.lineno]))
        mistake = Mistake(Source(file, error.lineno), "", shown, f"cannot be read as JSON: {error.msg}")
        return JsonReading(False, [], [mistake])
    except RecursionError:
        mistake = Mistake(Source(file, 1), "", "", f"nests deeper than {DEEPEST} levels")
        return JsonReading(True, values, [mistake])
    return JsonReading(True, values, builder.mistakes)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each JSON document begins and ends."""
    begin = skip_space(text, 0)
    while begin < len(text):
        _, end = _decoder.raw_decode(text, begin)
        yield begin, end
        begin = skip_space(text, end)


def skip_space(text: str, position: int) -> int:
    """Return where the next thing stands that is no space."""
    space = _SPACE.match(text, position)
    return space.end() if space else position


def build(builder: Builder, text: str, begin: int, end: int, line: int) -> None:
    """Build one document from text that is known to be JSON, which leaves only its tokens to look at."""
    builder.begin()
    before = begin
    for token in _TOKEN.finditer(text, begin, end):
        line += text.count("\n", before, token.start())
        before = token.start()
        word = token.group()
        if word == "{":
            builder.open({}, line)
        elif word == "[":
            builder.open([], line)
        elif word in ("}", "]"):
            builder.close()
        elif word[0] == '"':
            builder.scalar(_unquoted(word), line, plain=False)
        elif word not in (",", ":"):
            builder.scalar(_finite(word), line, plain=True)


def _finite(word: str) -> str:
    """Return a literal; Python's names for what is not finite become YAML's, which are refused."""
    return {"NaN": ".nan", "Infinity": ".inf", "-Infinity": "-.inf"}.get(word, word)


def _unquoted(word: str) -> str:
    """Return what a JSON string stands for; half a surrogate pair becomes U+FFFD, as in Go."""
    if "\\" not in word:
        return word[1:-1]
    text: str = json.loads(word)
    return _SURROGATE.sub("\ufffd", text)


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
