"""The texts behind what the user names: files, directories, standard input, file objects."""

import codecs
import os
import pathlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from fairlead.manifests.yaml.documents import shortened
from fairlead.models.errors import Mistake
from fairlead.models.source import Source

MOST_BYTES = 256 * 2**20
"""Size that one file may have, in bytes (in characters where it was opened as text)."""

_SUFFIXES = (".yaml", ".yml", ".json")

# What YAML calls printable, and a byte order mark inside the text, which is harmless.
_UNPRINTABLE = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
_PLAIN = bytes([*b"\t\n\r", *range(0x20, 0x7F)])

# Read piece by piece: a reader that is asked for all that is allowed would reserve as much memory.
_CHUNK = 2**20

_GZIP = b"\x1f\x8b"
_WIDE = "is {}; save it as UTF-8"
# To read from one in a directory might never end.
_IRREGULAR = "is a pipe, socket or device; name it by itself to read from it"


@dataclass(frozen=True, slots=True)
class FileText:
    """Text of one file."""

    file: str
    """Path as the user gave it; ``-`` for standard input."""
    text: str
    """The whole text, without byte order mark."""


def read_path(path: str, *, recursive: bool) -> Iterator[FileText | Mistake]:
    """Read a file, every manifest of a directory in the order of names, or standard input (``-``).

    `recursive`: whether a directory's directories are read too; symbolic links to directories are not
    followed.
    """
    if path == "-" and sys.stdin is None:
        yield _wrong("-", "cannot be read: standard input is closed")
    elif path == "-":
        yield read_stream(getattr(sys.stdin, "buffer", sys.stdin), "-")
    elif not path or "\n" in path or "\0" in path:
        message = "is not a path; give a file, a directory, - or an open file (io.StringIO for a text)"
        yield _wrong("<argument>", message, shortened(path))
    elif not pathlib.Path(path).is_dir():
        yield _read_file(path)
    else:
        found = list(_manifests(path, recursive))
        for item in found:
            yield item if isinstance(item, Mistake) else _read_file(item)
        if not found:
            below = "" if recursive else "; directories below it are only read recursively"
            yield _wrong(path, f"is a directory without any *.yaml, *.yml or *.json file{below}")


def _wrong(file: str, message: str, shown: str = "", line: int = 0) -> Mistake:
    return Mistake(Source(file, line), "", shown, message)


def _manifests(directory: str, recursive: bool) -> Iterator[str | Mistake]:
    """Yield the manifests of a directory by name; directories below it in their place, however deep."""
    entered = [_entries(directory)]
    while entered:
        entry = next(entered[-1], None)
        if entry is None:
            entered.pop()
        elif isinstance(entry, Mistake):
            yield entry
        elif entry.is_dir(follow_symlinks=False):
            if recursive:
                entered.append(_entries(entry.path))
        elif entry.name.endswith(_SUFFIXES) and not entry.is_dir():
            there = entry.is_file() or not pathlib.Path(entry.path).exists()
            yield entry.path if there else _wrong(entry.path, _IRREGULAR)


def _entries(directory: str) -> "Iterator[os.DirEntry[str] | Mistake]":
    try:
        with os.scandir(directory) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        yield _unreadable(directory, error)
        return
    yield from ordered


def _read_file(path: str) -> FileText | Mistake:
    try:
        with pathlib.Path(path).open("rb") as stream:
            return read_stream(stream, path)
    except (OSError, UnicodeEncodeError) as error:
        return _unreadable(path, error)


def _unreadable(path: str, error: OSError | ValueError) -> Mistake:
    why = (isinstance(error, OSError) and error.strerror) or error
    return _wrong(path, f"cannot be read: {why}")


def read_stream(stream: IO[str] | IO[bytes], file: str) -> FileText | Mistake:
    """Read an open file to its end."""
    try:
        content = _content(stream)
    except UnicodeDecodeError as error:
        return _wrong(file, f"is not UTF-8: {error.reason}")
    except (OSError, ValueError) as error:
        return _unreadable(file, error)
    if content is None:
        return _wrong(file, f"is larger than {MOST_BYTES} bytes; split it")
    text = _decoded(content, file) if isinstance(content, bytes) else content
    if isinstance(text, Mistake):
        return text
    # Files that were joined to one have a mark at the beginning of each.
    return _checked(text.removeprefix("\ufeff").replace("\n\ufeff", "\n"), file)


def _content(stream: IO[str] | IO[bytes]) -> str | bytes | None:
    """Return all that a stream holds; None where that is more than is allowed."""
    parts: list[Any] = []
    size = 0
    while size <= MOST_BYTES and (part := stream.read(_CHUNK)):
        parts.append(part)
        size += len(part)
    if size > MOST_BYTES:
        return None
    whole: str | bytes = type(parts[0])().join(parts) if parts else ""
    return whole


def _decoded(content: bytes, file: str) -> str | Mistake:
    """Return the text of a UTF-8 file; others show by their mark, or by the zeros beside the first letter."""
    if content.startswith(_GZIP):
        return _wrong(file, "is compressed with gzip; unpack it first (gunzip)", line=1)
    if content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)) or content[:4].count(0) == 3:
        return _wrong(file, _WIDE.format("UTF-32"), line=1)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or content[:2].count(0) == 1:
        return _wrong(file, _WIDE.format("UTF-16"), line=1)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return _wrong(file, f"is not UTF-8: {error.reason}", f"0x{content[error.start]:02x}", line)


def _checked(text: str, file: str) -> FileText | Mistake:
    """Return a text, or the first character in it that no manifest may hold."""
    # Most texts are plain, which is told several times sooner than what is not.
    plain = text.isascii() and not text.encode().translate(None, _PLAIN)
    found = None if plain else re.search(_UNPRINTABLE, text)
    if found is None:
        return FileText(file, text)
    line = text.count("\n", 0, found.start()) + 1
    number = ord(found.group())
    name = "NUL" if number == 0 else f"U+{number:04X}"
    return _wrong(file, "is a control character, which a manifest cannot hold", name, line)
