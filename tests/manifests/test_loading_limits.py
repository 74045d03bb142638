"""Input without end or measure: refused or told in time that grows with its size."""

import inspect
import os
import sys
from pathlib import Path

import pytest

import fairlead
from fairlead.manifests import validation
from fairlead.manifests.yaml import documents, files
from fairlead.manifests.yaml.documents import Lines, LineTable
from fairlead.manifests.yaml.files import FileText, read_path
from fairlead.manifests.yaml.reader import read_documents, read_text
from fairlead.models.errors import ManifestError

HEAD = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 1\n"


def test_positions_in_wide_mappings_are_looked_up_once() -> None:
    """A mapping of many keys is gone through once, however many of its keys are asked for."""
    turns = []

    class Counted(dict[str, int]):
        def __iter__(self):  # type: ignore[no-untyped-def]
            turns.append(1)
            return super().__iter__()

    wide = Counted({f"key{number}": number for number in range(100)})
    table = LineTable()
    block = table.add(list(range(1, 101)), [0] * 100)
    lines = Lines("x.yaml", 1, table, block)
    assert [lines.entry(wide, key).line for key in list(wide.keys())] == list(range(1, 101))
    assert len(turns) <= 2
    with pytest.raises(LookupError):
        lines.entry(wide, "other")
    assert documents._NARROW < 100


def test_many_unknown_fields_are_counted() -> None:
    """The first 100 are named, the rest are counted: 250 less 100 are 150."""
    text = HEAD + "".join(f"  field{number}: 1\n" for number in range(250))
    (value, _), *_ = read_text("x.yaml", text)[0]
    problem = fairlead.load([value])
    told = [warning.text for warning in problem.warnings if warning.rule == validation.UNKNOWN_FIELD]
    assert len(told) == 101
    assert "Deployment: 150 more unknown fields have no effect" in told


def test_many_mistakes_are_told_up_to_a_limit() -> None:
    """Of 250 labels that are no text the first 100 are told, and that there are more."""
    labels = "".join(f"    label{number}: 1\n" for number in range(250))
    text = f"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels:\n{labels}"
    (value, _), *_ = read_text("x.yaml", text)[0]
    with pytest.raises(ManifestError) as caught:
        fairlead.load(value)
    assert len(caught.value.mistakes) == 101
    assert "more mistakes are not shown, after 100 in this document" in str(caught.value)


def test_nothing_is_read_after_too_many_mistakes() -> None:
    """A list of empty items ends after 1,000 mistakes."""
    _, mistakes = read_documents([{"apiVersion": "v1", "kind": "List", "items": [{} for _ in range(5000)]}])
    assert len(mistakes) == 1001
    assert mistakes[-1].message == "nothing after this is read, after 1000 mistakes"


def test_duplicate_keys_name_the_first_line() -> None:
    """Also where keys were added after the first duplicate was found."""
    _, mistakes = read_text("x.yaml", "a: 1\nb: 2\na: 3\nc: 4\nc: 5\nb: 6\n")
    assert [(each.value, each.message.partition(";")[0]) for each in mistakes] == [
        ("a", "is a duplicate key (first on line 1)"),
        ("c", "is a duplicate key (first on line 4)"),
        ("b", "is a duplicate key (first on line 2)"),
    ]


def test_pipes_in_a_directory_are_not_read(tmp_path: Path) -> None:
    """They might never end; a symbolic link to one neither. What can be read is read."""
    os.mkfifo(tmp_path / "a.yaml")
    (tmp_path / "b.yaml").symlink_to(tmp_path / "a.yaml")
    (tmp_path / "c.yaml").write_text(HEAD)
    found = list(read_path(str(tmp_path), recursive=False))
    assert [isinstance(each, FileText) for each in found] == [False, False, True]
    assert "is a pipe, socket or device; name it by itself" in str(found[0])


def test_a_deep_tree_is_read(tmp_path: Path) -> None:
    """Directories inside each other are not a matter of Python's own stack: twice as many as it may grow."""
    deep = tmp_path.joinpath(*["d"] * 300)
    deep.mkdir(parents=True)
    (deep / "web.yaml").write_text(HEAD)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 150)
    try:
        found = list(read_path(str(tmp_path), recursive=True))
    finally:
        sys.setrecursionlimit(before)
        # Whoever clears temporary directories away may do so by recursion, in a program with a deep stack.
        (deep / "web.yaml").unlink()
        for directory in (deep, *deep.parents)[:300]:
            directory.rmdir()
    assert [each.file for each in found if isinstance(each, FileText)] == [str(deep / "web.yaml")]
    assert not list(tmp_path.iterdir())


def test_input_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device is read up to the size that a file may have."""
    monkeypatch.setattr(files, "MOST_BYTES", 2**22)
    (found,) = read_path("/dev/zero", recursive=False)
    assert "is larger than 4194304 bytes; split it" in str(found)
    assert files._CHUNK <= 2**22
