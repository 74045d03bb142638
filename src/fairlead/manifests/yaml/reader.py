"""Manifests as they were written: documents that know where each of their values stands."""

import datetime as dt
import decimal
import operator
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, SupportsIndex

from fairlead.manifests.yaml.builder import Builder, Values
from fairlead.manifests.yaml.documents import Document, Lines, Path, Places, field_name, shortened
from fairlead.manifests.yaml.files import FileText, read_path, read_stream
from fairlead.manifests.yaml.json_text import looks_like_json, read_json
from fairlead.manifests.yaml.late import LateLines, LateText
from fairlead.manifests.yaml.quick import copy_plain, parse_block, parse_json
from fairlead.manifests.yaml.scalars import Scalar, key_text, whole
from fairlead.models.errors import ManifestError, Mistake
from fairlead.models.source import Source

PARSED = "<dict>"


class NamedDocument(dict[str, Any]):
    """A parsed document with the name by which messages call it, as they call a file, and a line of it."""

    def __init__(self, name: str, data: Mapping[str, Any], line: int = 0) -> None:
        super().__init__(data)
        self.name, self.line = name, line


def read_object(parsed: Mapping[Any, Any]) -> tuple[tuple[Any, Places] | None, list[Mistake]]:
    """Copy a parsed document, so that it holds only what JSON could hold.

    The document with its (empty) lines, None where it cannot be copied; and what is wrong.
    """
    named = parsed if isinstance(parsed, NamedDocument) else NamedDocument(PARSED, {})
    copied = copy_plain(dict(parsed) if named is parsed else parsed)
    if copied is not None:
        return (copied, Lines(named.name, named.line)), []
    builder = Builder(named.name)
    try:
        _add(builder, parsed, {})
    except ManifestError as error:
        return None, [*builder.mistakes, *error.mistakes]
    return builder.end(), builder.mistakes


def _add(builder: Builder, value: Any, names: dict[int, str]) -> None:
    """Hand a value to the builder; an object that was met before is an alias, as it would be in YAML."""
    if not isinstance(value, Mapping | list | tuple):
        builder.value(_plain(builder, value), 0)
        return
    if id(value) in names:
        builder.alias(names[id(value)], 0)
        return
    names[id(value)] = name = str(len(names))
    if isinstance(value, Mapping):
        builder.open({}, 0, name)
        for key, item in value.items():
            builder.key(_key(builder, key), 0)
            _add(builder, item, names)
    else:
        builder.open([], 0, name)
        for item in value:
            _add(builder, item, names)
    builder.close()


def _key(builder: Builder, key: Any) -> str:
    try:
        return key_text(_plain(builder, key))
    except ValueError as error:
        builder.note(0, str(error))
        return "null"


def _plain(builder: Builder, value: Any) -> Scalar:
    """Return a scalar as JSON holds it; dates, which other YAML readers make, become text again."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, SupportsIndex):
        return operator.index(value)
    if isinstance(value, decimal.Decimal):
        value = float(value)
    if isinstance(value, float):
        if value - value == 0:
            return whole(value)
        builder.note(0, "is not a number that a manifest can hold; write a finite number", value)
        return None
    if isinstance(value, dt.date):
        return value.isoformat().replace("+00:00", "Z")
    builder.note(0, f"is a {type(value).__name__}; allowed is what JSON can hold", value)
    return None


Input = str | os.PathLike[str] | IO[str] | IO[bytes] | Mapping[str, Any]

MOST_TOLD = 1000
"""Documents that are no manifests, after which nothing more is read."""


def read_documents(
    inputs: Sequence[Input], *, recursive: bool = False
) -> tuple[list[Document], list[Mistake]]:
    """Read all manifests of all inputs.

    Every manifest in the order of the inputs: the items of a ``List`` stand in its place, empty documents are
    left out, and so is what could not be read; and everything that is wrong.
    """
    documents: list[Document] = []
    mistakes: list[Mistake] = []
    untyped: list[Mistake] = []
    for item in inputs:
        for value, lines in _values(item, recursive, mistakes):
            _flatten(value, lines, (), documents, untyped)
            if len(untyped) > MOST_TOLD:
                message = f"nothing after this is read, after {MOST_TOLD} mistakes"
                last = Mistake(untyped[MOST_TOLD].source, "", "", message)
                return documents, [*mistakes, *untyped[:MOST_TOLD], last]
    return documents, [*mistakes, *beside(mistakes, untyped)]


def beside(unread: Iterable[Mistake], later: Iterable[Mistake]) -> Iterator[Mistake]:
    """Yield mistakes that were found later, without fields missing only because they could not be read."""
    left = list(unread)
    for one in later:
        cause = next((each for each in left if _is_missed(each, one)), None)
        if cause is None:
            yield one
        else:
            left.remove(cause)


def _is_missed(unread: Mistake, one: Mistake) -> bool:
    """Tell whether a field has no value because that could not be read; it may stand in a list."""
    same = one.source == unread.source and f".{unread.field}".endswith(f".{one.field}")
    return same and one.value in ("", "null")


def _values(item: Input, recursive: bool, mistakes: list[Mistake]) -> Iterator[tuple[Any, Places]]:
    """Yield the documents of one input; add to the mistakes."""
    if isinstance(item, Mapping):
        found, wrong = read_object(item)
        mistakes.extend(wrong)
        if found is not None:
            yield found
        return
    for text in _texts(item, recursive):
        if isinstance(text, Mistake):
            mistakes.append(text)
            continue
        values, wrong = read_text(text.file, text.text)
        mistakes.extend(wrong)
        yield from values


def _texts(
    item: str | os.PathLike[str] | IO[str] | IO[bytes], recursive: bool
) -> Iterable[FileText | Mistake]:
    if isinstance(item, str | os.PathLike):
        return read_path(os.fspath(item), recursive=recursive)
    name = getattr(item, "name", None)
    return [read_stream(item, name if isinstance(name, str) else "<stream>")]


def _flatten(
    value: Any, lines: Places, path: Path, documents: list[Document], mistakes: list[Mistake]
) -> None:
    """Add one document, or the items of a list of documents; `path` is where it stands in a list."""
    if value is None and not path:
        return
    if not isinstance(value, dict):
        message = "is not a manifest: a manifest is a mapping with apiVersion and kind"
        place = Source(lines.file, lines.line)
        mistakes.append(Mistake(place, field_name(path), shortened(value), message))
        return
    items = _items(value, lines, path)
    if isinstance(items, Mistake):
        mistakes.append(items)
        return
    if items is None:
        document = Document(value, lines)
        wrong = list(_without_type(document, path))
        mistakes.extend(wrong)
        if not wrong:
            documents.append(document)
        return
    inside = lines.entry(value, "items") if items else lines
    for position, item in enumerate(items):
        if len(mistakes) > MOST_TOLD:
            return
        below = inside.entry(items, position)
        typed = _typed(item, below, value, lines)
        _flatten(*typed, (*path, "items", position), documents, mistakes)


def _items(value: dict[str, Any], lines: Places, path: Path) -> list[Any] | Mistake | None:
    """Return the items of a list of manifests, which kubectl prints; None where the document is none."""
    kind, items = value.get("kind"), value.get("items")
    if not isinstance(kind, str) or not kind.endswith("List"):
        return None
    if isinstance(items, list):
        return items
    if items is not None and (value.get("apiVersion"), kind) == ("v1", "List"):
        place = lines.entry(value, "items")
        where = field_name((*path, "items"))
        return Mistake(Source(place.file, place.line), where, shortened(items), "must be a list")
    # Go writes an empty list as null.
    return [] if items is None and (kind == "List" or "items" in value) else None


def _typed(item: Any, lines: Places, whole: dict[str, Any], whole_lines: Places) -> tuple[Any, Places]:
    """Give an item the type that a typed list, such as ``ClusterList``, only tells once for all items."""
    if not isinstance(item, dict) or whole["kind"] == "List" or "kind" in item or "apiVersion" in item:
        return item, lines
    extra = {"kind": str(whole["kind"]).removesuffix("List")}
    places = [whole_lines.entry(whole, "kind")]
    if "apiVersion" in whole:
        extra["apiVersion"] = whole["apiVersion"]
        places.append(whole_lines.entry(whole, "apiVersion"))
    return {**item, **extra}, lines.extended(len(item), places)


def _without_type(document: Document, path: Path) -> Iterator[Mistake]:
    for name in ("apiVersion", "kind"):
        value = document.data.get(name)
        if isinstance(value, str) and value:
            continue
        present = name in document.data
        message = "must be a non-empty string" if present else "is missing; every manifest has one"
        shown = shortened(value) if present else ""
        yield Mistake(document.source((name,)), field_name((*path, name)), shown, message)


# These end a line in YAML, and mean nothing in JSON.
_YAML_BREAK = re.compile("[\x85\u2028\u2029]")


def read_text(file: str, text: str) -> tuple[Values, list[Mistake]]:
    """Read every document of a text.

    The documents with their lines, and what is wrong. A broken document costs only itself.

    `text`: YAML documents separated by ``---``, or JSON documents one after the other.
    """
    like_json = looks_like_json(text)
    quick = _read_quick(file, text, like_json=like_json)
    if quick is not None:
        return quick, []
    if like_json and _YAML_BREAK.search(text):
        from_json = read_json(file, text)
        if from_json.is_json:
            return from_json.values, from_json.mistakes
    # Most texts are plain, and need no parser of all that YAML can be.
    from fairlead.manifests.yaml.events import read_yaml

    values, mistakes, broken = read_yaml(file, text)
    if broken and like_json:
        from_json = read_json(file, text)
        if from_json.is_json or file.endswith(".json"):
            return from_json.values, from_json.mistakes
    return values, mistakes + broken


def _read_quick(file: str, text: str, *, like_json: bool) -> Values | None:
    """Read a text in which everything is plain, without lines; None where something is not."""
    if like_json:
        value = parse_json(text)
        return None if value is None else [(value, LateLines(LateText(file, text, True)))]
    found = parse_block(text)
    if found is None:
        return None
    lines = text.split("\n")
    parts = ((value, "\n".join(lines[begin:end]), begin + 1) for value, begin, end in found)
    return [(value, LateLines(LateText(file, part, False, first))) for value, part, first in parts]
