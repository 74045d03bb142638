"""The tokens of JSON, handed to a builder: documents with lines."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from fairlead.manifests.yaml.builder import DEEPEST, Builder, Values
from fairlead.manifests.yaml.documents import shortened
from fairlead.models.errors import ManifestError, Mistake
from fairlead.models.source import Source

_BEGIN = re.compile(r"\s*[{\[]")
_SPACE = re.compile(r"\s*")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_SURROGATE = re.compile("[\ud800-\udfff]")

# Python's names for what is not finite become YAML's, which are refused.
_ENDLESS = {"NaN": ".nan", "Infinity": ".inf", "-Infinity": "-.inf"}
# Numbers are left as text: they are resolved like those of YAML.
_decoder = json.JSONDecoder(parse_int=str, parse_float=str)


@dataclass(frozen=True, slots=True)
class JsonReading:
    """Values and mistakes of a text read as JSON."""

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
        wrong = "".join(text.splitlines()[error.lineno - 1 : error.lineno])
        shown = shortened(" ".join(wrong.split()))
        mistake = Mistake(Source(file, error.lineno), "", shown, f"cannot be read as JSON: {error.msg}")
        return JsonReading(False, [], [mistake])
    except RecursionError:
        mistake = Mistake(Source(file, 1), "", "", f"nests deeper than {DEEPEST} levels")
        return JsonReading(True, values, [mistake])
    return JsonReading(True, values, builder.mistakes)


def _spans(text: str) -> Iterator[tuple[int, int]]:
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
            builder.scalar(_ENDLESS.get(word, word), line, plain=True)


def _unquoted(word: str) -> str:
    """Return the text that a JSON string stands for; half a surrogate pair becomes U+FFFD, as in Go."""
    if "\\" not in word:
        return word[1:-1]
    text: str = json.loads(word)
    return _SURROGATE.sub("\ufffd", text)
