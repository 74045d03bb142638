"""Reading manifests: what scalars mean, where values stand, and what is refused in words."""

import datetime as dt
import gzip
import io
import json
import math
import pathlib
import pickle
import re
import sys
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fairlead.manifests.yaml import events, reader
from fairlead.manifests.yaml.documents import Document, Path, field_name, shortened
from fairlead.manifests.yaml.reader import read_documents
from fairlead.models.errors import Mistake
from fairlead.models.source import Source

HEAD = "apiVersion: v1\nkind: Thing\n"


@pytest.fixture(params=["quick", "libyaml", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Read what is plain the quick way; all with libyaml, and with the parser that stands in for it."""
    if request.param == "quick":
        return "quick"
    if request.param == "libyaml" and not yaml.__with_libyaml__:
        pytest.skip("this PyYAML has no libyaml")
    loader = yaml.CSafeLoader if request.param == "libyaml" else yaml.SafeLoader
    monkeypatch.setattr(events, "_Parser", loader)
    for quick in ("parse_json", "parse_block"):
        monkeypatch.setattr(reader, quick, lambda _: None)
    return str(request.param)


def read(text: str | bytes) -> tuple[list[Document], list[Mistake]]:
    """Read a text as an open file."""
    return read_documents([io.BytesIO(text) if isinstance(text, bytes) else io.StringIO(text)])


def one(text: str | bytes) -> Document:
    """Read a text that holds one right document."""
    documents, mistakes = read(text)
    assert mistakes == []
    (document,) = documents
    return document


def value(text: str) -> Any:
    """Return what an unquoted scalar means."""
    return one(f"{HEAD}value: {text}\n").data["value"]


def said(text: str | bytes) -> list[tuple[int, str, str]]:
    """Return line, field and message of every mistake in a text."""
    return [(mistake.source.line, mistake.field, mistake.message) for mistake in read(text)[1]]


def only(text: str | bytes) -> tuple[int, str, str]:
    """Return line, field and message of the only mistake in a text."""
    (mistake,) = said(text)
    return mistake


# Scalars


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        *((word, None) for word in ("", "~", "null", "Null", "NULL")),
        *((word, True) for word in ("true", "True", "TRUE", "yes", "on", "On", "y", "Y")),
        *((word, False) for word in ("false", "no", "NO", "off", "n")),
        # Only three spellings of each word count, and nullable words are words.
        *((word, word) for word in ("tRUE", "yES", "nil", "None", "nULL")),
        ("5", 5),
        ("+5", 5),
        ("-5", -5),
        ("0x1F", 31),
        ("-0x10", -16),
        ("0o17", 15),
        ("017", 15),
        ("0b11", 3),
        # 8 is no octal digit; Go falls back to a decimal.
        ("08", 8),
        # Go drops underscores behind a digit.
        ("1_000", 1000),
        ("_1", "_1"),
        ("9223372036854775808", 2**63),
        ("1e3", 1000),
        ("2.0", 2),
        ("1.5", 1.5),
        (".5", 0.5),
        ("-.5e-3", -0.0005),
        ("1e400", "1e400"),
        ("1e", "1e"),
        ("1:30", "1:30"),
        ("12:30:45", "12:30:45"),
        ("2024-05-01", "2024-05-01"),
        ("2024-05-01T10:00:00Z", "2024-05-01T10:00:00Z"),
        ("1.2.3", "1.2.3"),
        ("100m", "100m"),
        ("inf", "inf"),
        ("9" * 5000, "9" * 5000),
        ("'1'", "1"),
        ('"true"', "true"),
        ("!!str 1", "1"),
        ("! 1", "1"),
        ("!!int '1'", 1),
        ("!!float 3", 3),
        ("!!bool yes", True),
        ("!!null ''", None),
        ("|-\n  1", "1"),
    ],
)
@pytest.mark.usefixtures("parser")
def test_scalars_mean_what_they_mean_to_kubernetes(text: str, meaning: object) -> None:
    """Words of YAML 1.1, numbers of Go; type and value both count."""
    found = value(text)
    assert found == meaning
    assert type(found) is type(meaning)


@pytest.mark.parametrize("text", [".inf", "-.Inf", "+.INF", ".nan", ".NaN"])
def test_numbers_that_json_cannot_hold_are_refused(text: str) -> None:
    """A replica count of infinity is a mistake, not a number."""
    line, field, message = only(f"{HEAD}value: {text}\n")
    assert (line, field) == (3, "value")
    assert "finite number" in message


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("1", "1"),
        ("0x10", "16"),
        ("1.5", "1.5"),
        ("true", "true"),
        ("y", "true"),
        ("'y'", "y"),
        ("!!str 0x10", "0x10"),
    ],
)
def test_keys_become_text_as_in_json(key: str, name: str) -> None:
    """JSON has no other keys than strings."""
    assert one(f"{HEAD}map: {{{key}: x}}\n").data["map"] == {name: "x"}


@pytest.mark.parametrize("key", ["null", "~", "? [a, b]\n ", "? {a: b}\n ", "&x ~", "*none"])
@pytest.mark.usefixtures("parser")
def test_keys_that_cannot_be_text_are_refused(key: str) -> None:
    """The rest of the document is read all the same."""
    documents, mistakes = read(f"{HEAD}none: &none\nmap:\n  {key} : x\n  right: z\n")
    assert [mistake.source.line for mistake in mistakes] == [5]
    assert documents[0].data["map"] == {"right": "z"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("!!binary aGk=", "has the tag !!binary"),
        ("!!timestamp 2024-05-01", "has the tag !!timestamp"),
        ("!secret x", "has the tag !secret"),
        ("!!python/object:os.system x", "has the tag !!python/object:os.system"),
        ("!!int x", "is not what its tag !!int says"),
        ("!!bool 1", "is not what its tag !!bool says"),
        ("!!set {a}", "has the tag !!set"),
        ("!!map [a]", "has the tag !!map"),
    ],
)
@pytest.mark.usefixtures("parser")
def test_tags_outside_of_the_core_schema_are_refused(text: str, message: str) -> None:
    """No tag ever runs code, and none is silently ignored."""
    line, field, found = only(f"{HEAD}value: {text}\n")
    assert (line, field) == (3, "value")
    assert found.startswith(message)


# Half a surrogate pair is no character; what is not printable cannot stand in a file.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
unprintable = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


@given(json_values, st.sampled_from([None, 2]), st.booleans())
def test_json_means_what_it_means_to_json(content: object, indent: int | None, ascii_only: bool) -> None:
    """JSON is read as any JSON reader reads it, escapes and all."""
    manifest = {"apiVersion": "v1", "kind": "Thing", "x": content}
    text = json.dumps(manifest, indent=indent, ensure_ascii=ascii_only)
    if not unprintable.search(text):
        assert one(text).data == manifest


@given(json_values, st.sampled_from([True, False, None]))
def test_yaml_means_what_was_dumped(content: object, flow: bool | None) -> None:
    """Quoted and tagged, every value comes back from YAML in block and flow style, aliases included."""
    manifest = {"apiVersion": "v1", "kind": "Thing", "x": content, "again": content}
    text = yaml.safe_dump(manifest, default_style='"', default_flow_style=flow)
    assert one(text).data == manifest


# Lines


def leaves(data: Any, path: Path = ()) -> list[tuple[Path, str]]:
    """Return path and value of every text in a structure."""
    if isinstance(data, dict):
        return [leaf for key, item in data.items() for leaf in leaves(item, (*path, key))]
    if isinstance(data, list):
        return [leaf for position, item in enumerate(data) for leaf in leaves(item, (*path, position))]
    return [(path, data)]


shapes = st.recursive(
    st.just(""),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b.c/d", "1", "e"]), inner, min_size=1, max_size=4)
    ),
    max_leaves=15,
)


def numbered(shape: Any, numbers: list[int]) -> Any:
    """Return a shape with a different text at every leaf."""
    if isinstance(shape, dict):
        return {key: numbered(item, numbers) for key, item in shape.items()}
    if isinstance(shape, list):
        return [numbered(item, numbers) for item in shape]
    numbers[0] += 1
    return f"leaf-{numbers[0]}-"


@given(st.lists(shapes, min_size=1, max_size=3), st.sampled_from(["block", "mixed", "json", "list"]))
def test_every_value_knows_its_line(contents: list[Any], style: str) -> None:
    """In several documents or one List, the line of each value is where its text stands in the file."""
    numbers = [0]
    manifests = [{"apiVersion": "v1", "kind": "Thing", "x": numbered(shape, numbers)} for shape in contents]
    if style == "json":
        text = "\n".join(json.dumps(manifest, indent=2) for manifest in manifests)
    elif style == "list":
        text = yaml.safe_dump({"apiVersion": "v1", "items": manifests, "kind": "List"})
    else:
        flow = False if style == "block" else None
        text = "---\n".join(yaml.safe_dump(item, default_flow_style=flow) for item in manifests)
    documents, mistakes = read(text)
    assert mistakes == []
    assert [document.data for document in documents] == manifests
    for document in documents:
        for path, leaf in leaves(document.data["x"], ("x",)):
            line = next(number for number, row in enumerate(text.splitlines(), 1) if leaf in row)
            assert document.source(path).line == line


LINES = """\
# a comment
apiVersion: v1
kind: Thing
metadata:
  name: >-
    folded
    name
spec:
  flow: {one: 1,
    two: [a,
          b]}
  "quoted key":
    x
  base: &base
    cpu: 1
    list:
    - p
    -
      - q
  copy: *base
  merged:
    <<: *base
    memory: 2
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 2),
        (("kind",), 3),
        (("metadata", "name"), 5),
        (("spec",), 8),
        (("spec", "flow", "one"), 9),
        (("spec", "flow", "two"), 10),
        (("spec", "flow", "two", 1), 11),
        (("spec", "quoted key"), 12),
        (("spec", "base", "list", 0), 17),
        (("spec", "base", "list", 1, 0), 19),
        # The alias stands on line 20, what it repeats where it was written.
        (("spec", "copy"), 20),
        (("spec", "copy", "cpu"), 15),
        (("spec", "copy", "list", 1, 0), 19),
        (("spec", "merged", "memory"), 23),
        (("spec", "merged", "cpu"), 15),
        (("spec", "merged", "list", 0), 17),
        # What does not exist has the line of what would hold it.
        (("spec", "flow", "three"), 9),
        (("spec", "flow", "two", 2), 10),
        (("spec", "flow", "two", -1), 10),
        (("spec", "flow", "two", "x"), 10),
        (("spec", "flow", "one", "deeper"), 9),
        (("nothing", 0, "at all"), 2),
    ],
)
@pytest.mark.usefixtures("parser")
def test_lines_of_block_and_flow_style(path: Path, line: int) -> None:
    """The place of a value is its key, or its item of a list."""
    assert one(LINES).source(path) == Source("<stream>", line)


def test_lines_count_across_documents_and_line_ends() -> None:
    """Lines count from the top of the file, whatever ends them."""
    text = f"\ufeff# first\n---\n{HEAD}x: 1\n---\n\n...\n---\n{HEAD}x: 1\n"
    for end in ("\n", "\r\n"):
        documents, mistakes = read(text.replace("\n", end).encode())
        assert mistakes == []
        assert [document.source(("x",)).line for document in documents] == [5, 12]


# Aliases and merge keys


def test_merge_keys_give_way_to_what_is_written() -> None:
    """Own keys win wherever they stand; of several merged mappings the first wins."""
    document = one(
        f"{HEAD}one: &one {{a: 1, b: 1}}\ntwo: &two {{b: 2, c: 2}}\n"
        "x: {a: 0, <<: [*one, *two], d: 3}\nquoted: {'<<': plain}\nz: {<<: {e: 4}}\n"
    )
    assert document.data["x"] == {"a": 0, "b": 1, "c": 2, "d": 3}
    assert document.data["quoted"] == {"<<": "plain"}
    assert document.data["z"] == {"e": 4}


@pytest.mark.parametrize("merged", ["5", "[5]", "[{a: 1}, x]", "null"])
def test_only_mappings_can_be_merged(merged: str) -> None:
    """Anything else behind << is refused."""
    assert only(f"{HEAD}x: {{<<: {merged}}}\n")[2] == "can only merge a mapping or a list of mappings"


def test_aliases_repeat_scalars_mappings_and_keys() -> None:
    """An alias is its anchor's value once more, and an anchor may be given anew."""
    document = one(f"{HEAD}a: &name v\nb: *name\nc: {{*name : 1}}\nd: &name [2]\ne: *name\n")
    assert document.data["b"] == "v"
    assert document.data["c"] == {"v": 1}
    assert document.data["e"] == [2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x: *nowhere", "is an alias without an anchor"),
        ("x: &x [*x]", "is an alias of a value that contains it"),
        ("x: &x {a: {b: *x}}", "is an alias of a value that contains it"),
        ("x: &x {a: 1, <<: *x}", "is an alias of a value that contains it"),
    ],
)
@pytest.mark.usefixtures("parser")
def test_aliases_that_lead_nowhere_are_refused(text: str, message: str) -> None:
    """The document is lost, those around it are not; anchors end with their document."""
    documents, mistakes = read(f"---\n{HEAD}first: &nowhere 1\n---\n{HEAD}{text}\n---\n{HEAD}last: 1\n")
    assert [next(reversed(document.data)) for document in documents] == ["first", "last"]
    assert [mistake.source.line for mistake in mistakes] == [8]
    assert mistakes[0].message.startswith(message)


def bomb(levels: int, width: int, item: str = "lol") -> str:
    """Return a document whose expanded size is width ** levels."""
    rows = [f"a0: &a0 [{', '.join([item] * width)}]"]
    rows += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * width)}]" for level in range(1, levels)]
    return HEAD + "\n".join(rows) + "\n"


@pytest.mark.parametrize(("levels", "width"), [(9, 9), (30, 2), (3, 100)])
@pytest.mark.usefixtures("parser")
def test_alias_bombs_are_refused(levels: int, width: int) -> None:
    """A few hundred bytes do not become a billion values."""
    documents, mistakes = read(bomb(levels, width))
    assert documents == []
    assert re.fullmatch(r"is an alias that repeats more than \d+ values", mistakes[0].message)


def test_merge_bombs_are_refused() -> None:
    """Merging counts like any other repetition: 300 times 2,000 keys and values exceed a million."""
    wide = ", ".join(f"k{number}: 1" for number in range(2000))
    merged = "".join(f"m{number}: {{<<: *base}}\n" for number in range(300))
    text = f"{HEAD}base: &base {{{wide}}}\n{merged}"
    documents, mistakes = read(text)
    assert documents == []
    assert "is an alias that repeats more than" in mistakes[0].message


def test_plain_use_of_aliases_is_not_a_bomb() -> None:
    """A hundred clusters that share ten labels are everyday input."""
    labels = ", ".join(f"k{number}: v" for number in range(10))
    items = "".join(f"- {{name: c{number}, labels: *labels}}\n" for number in range(100))
    assert len(one(f"{HEAD}labels: &labels {{{labels}}}\nitems:\n{items}").data["items"]) == 100


# Lists of manifests


def test_a_list_becomes_its_items() -> None:
    """What kubectl prints for several objects reads like several documents, in order, nested too."""
    documents, mistakes = read(
        "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: A\n  x: 1\n- kind: B\n  apiVersion: v1\n"
        "- apiVersion: v1\n  kind: List\n  items:\n  - {kind: C,\n     apiVersion: v1}\nkind: List\n"
        f"---\n{HEAD}"
    )
    assert mistakes == []
    assert [document.kind for document in documents] == ["A", "B", "C", "Thing"]
    assert [document.source().line for document in documents] == [3, 6, 11, 15]
    assert documents[0].source(("x",)).line == 5
    assert documents[2].source(("apiVersion",)).line == 12


def test_a_typed_list_gives_its_type_to_its_items() -> None:
    """The API server's own lists tell the type only once; the line of the type is that of the list."""
    documents, mistakes = read(
        "kind: ClusterList\napiVersion: cluster.karmada.io/v1alpha1\n"
        "items:\n- metadata:\n    name: one\n- {}\n"
    )
    assert mistakes == []
    assert [document.data["kind"] for document in documents] == ["Cluster", "Cluster"]
    assert documents[1].api_version == "cluster.karmada.io/v1alpha1"
    assert documents[0].source(("kind",)).line == 1
    assert documents[0].source(("apiVersion",)).line == 2
    assert documents[0].source(("metadata", "name")).line == 5


@pytest.mark.parametrize(
    "text", ["kind: List\nitems: []\n", "kind: List\nitems: null\n", "kind: List\n", "", "---\n---\n# no\n"]
)
def test_nothing_is_no_mistake(text: str) -> None:
    """Empty lists and empty documents are left out; whether none at all is allowed is not for the reader."""
    assert read(text) == ([], [])


def test_a_kind_that_only_ends_like_a_list_is_a_manifest() -> None:
    """Without items there is nothing to flatten."""
    assert one("apiVersion: v1\nkind: AllowList\nallowed: [a]\n").kind == "AllowList"


def test_items_that_are_no_manifests() -> None:
    """Every wrong item is told by its place, and the right ones are read."""
    documents, mistakes = read("kind: List\nitems:\n- 5\n-\n- {kind: A, apiVersion: v1}\n- {kind: A}\n")
    assert [document.kind for document in documents] == ["A"]
    assert [(mistake.source.line, mistake.field) for mistake in mistakes] == [
        (3, "items[0]"), (4, "items[1]"), (6, "items[3].apiVersion")
    ]  # fmt: skip


# What is not a manifest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n- b\n", (1, "", "is not a manifest: a manifest is a mapping with apiVersion and kind")),
        ("\n5\n", (2, "", "is not a manifest: a manifest is a mapping with apiVersion and kind")),
        ("kind: A\n", (1, "apiVersion", "is missing; every manifest has one")),
        ("apiVersion: v1\n", (1, "kind", "is missing; every manifest has one")),
        ("apiVersion: v1\nkind: 5\n", (2, "kind", "must be a non-empty string")),
        ("apiVersion: ''\nkind: A\n", (1, "apiVersion", "must be a non-empty string")),
    ],
)
def test_documents_that_are_no_manifests(text: str, expected: tuple[int, str, str]) -> None:
    """A manifest is a mapping with a type."""
    assert only(text) == expected


@pytest.mark.usefixtures("parser")
def test_duplicate_keys_name_both_lines() -> None:
    """The first value counts, and the document is read to its end to find every mistake."""
    documents, mistakes = read(
        f"{HEAD}spec:\n  replicas: 1\n  x: 2\n  replicas: {{deep: [3]}}\n  z: &a 1\n  z: *a\n"
    )
    assert [(mistake.source.line, mistake.field, mistake.message) for mistake in mistakes] == [
        (6, "spec.replicas", "is a duplicate key (first on line 4); write it once"),
        (8, "spec.z", "is a duplicate key (first on line 7); write it once"),
    ]
    assert documents[0].data["spec"] == {"replicas": 1, "x": 2, "z": 1}


def test_duplicates_that_only_text_shows() -> None:
    """Two spellings of one JSON key are one key."""
    line, field, message = only(f"{HEAD}map: {{1: a, '1': b}}\n")
    assert (line, field) == (3, "map.1")
    assert message == "is a duplicate key (first on line 3); write it once"


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}")])
@pytest.mark.usefixtures("parser")
def test_nesting_has_an_end(opening: str, closing: str) -> None:
    """A hundred levels are read, a hundred and one refused; the next document is read."""
    for levels, right in ((99, True), (100, False), (3000, False)):
        text = f"{HEAD}x: {opening * levels}{closing * levels}\n---\n{HEAD}"
        documents, mistakes = read(text)
        assert len(documents) == (2 if right else 1)
        assert [mistake.message for mistake in mistakes] == [] if right else ["nests deeper than 100 levels"]


def test_aliases_cannot_nest_deeper_either() -> None:
    """Sixty levels inside of sixty levels are a hundred and twenty."""
    text = f"{HEAD}a: &a {'[' * 60}{']' * 60}\nb: {'[' * 60}*a{']' * 60}\n"
    assert only(text)[2] == "is an alias that nests deeper than 100 levels"


@pytest.mark.usefixtures("parser")
def test_broken_yaml_costs_only_its_document() -> None:
    """Every document that is not YAML is told by its line; all others are read."""
    documents, mistakes = read(
        f"{HEAD}i: 1\n---\n{HEAD}x: 'open\n---\n{HEAD}i: 2\n---\nx:\n\tz: 1\n---\n{HEAD}i: 3\n--- {{a: b\n"
    )
    assert [document.data["i"] for document in documents] == [1, 2, 3]
    assert [document.source(("i",)).line for document in documents] == [3, 11, 18]
    assert [mistake.source.line for mistake in sorted(mistakes)[:2]] == [8, 14]
    assert len(mistakes) == 3
    assert all(mistake.message.startswith("cannot be read as YAML: ") for mistake in mistakes)
    assert "indent with spaces, not with tabs" in mistakes[1].message
    assert mistakes[1].value == "z: 1"


def test_files_that_are_not_yaml_at_all_come_to_an_end() -> None:
    """After twenty broken documents the rest is left alone, and that is said."""
    _, mistakes = read("--- a: b: c\n" * 50)
    assert len(mistakes) == 21
    assert mistakes[-1].source.line == 21
    assert mistakes[-1].message == "nothing after this is read, after 20 broken documents"


def test_mistakes_are_told_up_to_a_thousand() -> None:
    """Then the document is given up; the next one is still read."""
    documents, mistakes = read(f"{HEAD}x:\n" + "- !foo a\n" * 2000 + f"---\n{HEAD}")
    assert len(documents) == 1
    assert len(mistakes) == 1001
    assert mistakes[-1].source.line == 1004
    assert mistakes[-1].message == "is the last mistake shown, after 1000 others"


# JSON


def test_json_that_yaml_refuses() -> None:
    """Surrogate pairs, tabs, long keys and documents without separator are JSON all the same, with lines."""
    long_key = "k" * 2000
    documents, mistakes = read(
        '{\n\t"apiVersion": "v1", "kind": "A",\n\t"s": "\\ud83d\\ude00 \\ud83d",\n'
        f'\t"{long_key}": [1.0, 1e3, -0,\n"x", true, null, {{}}, []]}}\n\n'
        '{"apiVersion": "v1",\n"kind": "B"}'
    )
    assert mistakes == []
    assert documents[0].data["s"] == "\U0001f600 \ufffd"
    assert documents[0].data[long_key] == [1, 1000, 0, "x", True, None, {}, []]
    assert documents[0].source((long_key, 3)).line == 5
    assert documents[1].source(("kind",)).line == 8


def test_mistakes_inside_of_such_json() -> None:
    """What is wrong in a manifest is wrong in either notation."""
    text = '{"apiVersion": "v1", "kind": "A", "s": "\\ud83d\\ude00",\n"n": NaN,\n"s": 1}'
    assert [(line, field) for line, field, _ in said(text)] == [(2, "n"), (3, "s")]


@pytest.mark.parametrize("levels", [200, 100_000])
def test_json_nesting_has_an_end(levels: int) -> None:
    """Neither the builder nor Python's own reader goes deeper."""
    text = '{"apiVersion": "\\ud83d\\ude00", "kind": "A", "x": ' + "[" * levels + "]" * levels + "}"
    assert "nests deeper than 100 levels" in only(text)[2]


def test_json_is_not_folded_like_yaml() -> None:
    """A line separator inside of a JSON string is a character; YAML would make a space of it."""
    assert one('{"apiVersion": "v1", "kind": "A", "x": "a\u2028b"}').data["x"] == "a\u2028b"


def test_broken_json_is_told_in_the_words_of_json(tmp_path: pathlib.Path) -> None:
    """A file that is called JSON is judged as JSON."""
    path = tmp_path / "broken.json"
    path.write_text('{"apiVersion": "v1",\n"kind": "A" "B"}')
    _, mistakes = read_documents([path])
    assert [str(mistake) for mistake in mistakes] == [
        f'{path}:2: \'"kind": "A" "B"}}\' cannot be read as JSON: Expecting \',\' delimiter'
    ]


def test_json_documents_with_yaml_separators() -> None:
    """JSON is YAML, so dashes separate it too."""
    documents, _ = read('{"apiVersion": "v1", "kind": "A"}\n---\n{"apiVersion": "v1", "kind": "B"}\n')
    assert [document.kind for document in documents] == ["A", "B"]


# Files


def test_directories_are_read_by_name(tmp_path: pathlib.Path) -> None:
    """Manifests in the order of their names, deeper ones only when asked for, other files never."""
    (tmp_path / "deep").mkdir()
    for name in ("b.yml", "a.yaml", "c.json", "deep/d.yaml", "e.txt", "e.yaml.bak"):
        (tmp_path / name).write_text(json.dumps({"apiVersion": "v1", "kind": "A", "name": name}))
    flat, _ = read_documents([str(tmp_path)])
    assert [document.data["name"] for document in flat] == ["a.yaml", "b.yml", "c.json"]
    deep, mistakes = read_documents([tmp_path], recursive=True)
    assert [document.data["name"] for document in deep] == ["a.yaml", "b.yml", "c.json", "deep/d.yaml"]
    assert mistakes == []
    assert deep[-1].source() == Source(str(tmp_path / "deep" / "d.yaml"), 1)


def test_inputs_keep_their_order(tmp_path: pathlib.Path) -> None:
    """Files, open files and parsed documents in the order in which they were given."""
    path = tmp_path / "file.yaml"
    path.write_text("apiVersion: v1\nkind: A\n---\napiVersion: v1\nkind: B\n")
    with path.open("rb") as stream:
        parsed = {"apiVersion": "v1", "kind": "C"}
        documents, mistakes = read_documents([parsed, path, stream, io.StringIO(HEAD)])
    assert mistakes == []
    assert [document.kind for document in documents] == ["C", "A", "B", "A", "B", "Thing"]
    assert [document.source().file for document in documents] == ["<dict>", *[str(path)] * 4, "<stream>"]


@pytest.mark.parametrize("as_bytes", [True, False])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, as_bytes: bool) -> None:
    """A dash is standard input, whatever encoding Python gave it."""
    binary = io.TextIOWrapper(io.BytesIO(f"{HEAD}x: \u00e9\n".encode()), encoding="ascii")
    monkeypatch.setattr(sys, "stdin", binary if as_bytes else io.StringIO(f"{HEAD}x: \u00e9\n"))
    documents, mistakes = read_documents(["-"])
    assert mistakes == []
    assert documents[0].data["x"] == "\u00e9"
    assert documents[0].source(("x",)) == Source("-", 3)


def test_files_that_cannot_be_read(tmp_path: pathlib.Path) -> None:
    """Each is told by its name, all at once, and the others are read."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "right.yaml").write_text(HEAD)
    (tmp_path / "dangling.yaml").symlink_to(tmp_path / "gone")
    paths: list[pathlib.Path | str] = [tmp_path / "none.yaml", tmp_path, tmp_path / "empty", "", "kind: A\n"]
    documents, mistakes = read_documents(paths)
    assert len(documents) == 1
    assert [(mistake.source.file, mistake.message.split(";")[0]) for mistake in mistakes] == [
        (str(tmp_path / "none.yaml"), "cannot be read: No such file or directory"),
        (str(tmp_path / "dangling.yaml"), "cannot be read: No such file or directory"),
        (str(tmp_path / "empty"), "is a directory without any *.yaml, *.yml or *.json file"),
        ("<argument>", "is not a path"),
        ("<argument>", "is not a path"),
    ]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (gzip.compress(HEAD.encode(), mtime=0), 1, "is compressed with gzip; unpack it first (gunzip)"),
        (HEAD.encode("utf-16"), 1, "is UTF-16; save it as UTF-8"),
        (HEAD.encode("utf-16-le"), 1, "is UTF-16; save it as UTF-8"),
        (HEAD.encode("utf-16-be"), 1, "is UTF-16; save it as UTF-8"),
        (HEAD.encode("utf-32"), 1, "is UTF-32; save it as UTF-8"),
        (HEAD.encode("utf-32-be"), 1, "is UTF-32; save it as UTF-8"),
        (HEAD.encode() + b"x: \xe9\n", 3, "is not UTF-8: invalid continuation byte"),
        (HEAD.encode() + b"x: a\0b\n", 3, "is a control character, which a manifest cannot hold"),
        (HEAD.encode() + b"x: a\x1bb\n", 3, "is a control character, which a manifest cannot hold"),
    ],
)
def test_bytes_that_are_no_text(content: bytes, line: int, message: str) -> None:
    """The line is told, and what to do about it."""
    assert only(content) == (line, "", message)


def test_a_byte_order_mark_is_accepted() -> None:
    """Windows editors write it."""
    assert one(b"\xef\xbb\xbf" + HEAD.encode()).source(("apiVersion",)).line == 1


def test_byte_order_marks_of_joined_files_are_accepted() -> None:
    """As ``cat`` leaves them in the middle; lines are counted as before."""
    mark = b"\xef\xbb\xbf" + HEAD.encode()
    documents, mistakes = read_documents([io.BytesIO(mark + b"---\n" + mark)])
    assert mistakes == []
    second = HEAD.count("\n") + 2
    assert [each.source(("apiVersion",)).line for each in documents] == [1, second]


def test_the_items_of_a_list_are_a_list() -> None:
    """A mapping of items is a mistake, not an unknown kind."""
    assert only(b"apiVersion: v1\nkind: List\nitems: {a: b}\n") == (3, "items", "must be a list")


def test_large_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit itself still fits."""
    size = len(HEAD.encode())
    monkeypatch.setattr("fairlead.manifests.yaml.files.MOST_BYTES", size)
    assert read_documents([io.BytesIO(HEAD.encode())])[1] == []
    monkeypatch.setattr("fairlead.manifests.yaml.files.MOST_BYTES", size - 1)
    documents, mistakes = read_documents([io.BytesIO(HEAD.encode())])
    assert documents == []
    assert mistakes[0].message == f"is larger than {size - 1} bytes; split it"


# Parsed documents


def test_parsed_documents_become_what_json_holds() -> None:
    """Dates, tuples and keys of other YAML readers are turned back; the caller's object is not touched."""
    given_document = {
        "apiVersion": "v1",
        "kind": "A",
        "day": dt.date(2024, 5, 1),
        "at": dt.datetime(2024, 5, 1, 10, 0, tzinfo=dt.UTC),
        "pair": (1, 2.0),
        "map": {2: "a", True: "b", None: "c"},
    }
    before = dict(given_document)
    documents, mistakes = read_documents([given_document])
    assert given_document == before
    assert [mistake.field for mistake in mistakes] == ["map"]
    assert documents[0].data["day"] == "2024-05-01"
    assert documents[0].data["at"] == "2024-05-01T10:00:00Z"
    assert documents[0].data["pair"] == [1, 2]
    assert documents[0].source(("pair", 1)) == Source("<dict>", 0)


def test_parsed_documents_that_json_cannot_hold() -> None:
    """Every value is told by its field."""
    _, mistakes = read_documents([{"apiVersion": "v1", "kind": "A", "x": [math.inf, {1, 2}], "y": b"z"}])
    assert [mistake.field for mistake in mistakes] == ["x[0]", "x[1]", "y"]


def test_parsed_documents_cannot_be_bombs() -> None:
    """A list that contains itself and one that doubles thirty times are refused."""
    circle: list[object] = []
    circle.append(circle)
    doubled: list[object] = [1]
    for _ in range(30):
        doubled = [doubled, doubled]
    for content in (circle, doubled):
        documents, mistakes = read_documents([{"apiVersion": "v1", "kind": "A", "x": content}])
        assert documents == []
        assert "is an alias" in mistakes[0].message


def test_parsed_lists_are_flattened() -> None:
    """What another reader made of kubectl's output is accepted as it is."""
    documents, _ = read_documents([{"kind": "List", "items": [{"apiVersion": "v1", "kind": "A"}]}])
    assert [document.kind for document in documents] == ["A"]


# Helpers


def test_documents_can_be_sent_to_other_processes() -> None:
    """Lines survive pickling."""
    document = one(LINES)
    again = pickle.loads(pickle.dumps(document))
    assert again == document
    assert again.source(("spec", "merged", "cpu")).line == 15


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("spec", "clusters", 0, "name"), "spec.clusters[0].name"),
        (("metadata", "labels", "example.com/tier"), "metadata.labels[example.com/tier]"),
        (("items", 1, ""), "items[1][]"),
    ],
)
def test_fields_as_people_write_them(path: Path, text: str) -> None:
    """Keys with dots or slashes stand in brackets, as in Kubernetes' own messages."""
    assert field_name(path) == text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        (" 1", " 1"),
        ("a\nb", "a\nb"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 57 + "..."),
        ({"a": 1, "b": 2}, "{a: ..., b: ...}"),
        ([1], "[1 item]"),
        ([1, 2], "[2 items]"),
    ],
)
def test_values_are_shortened(content: object, text: str) -> None:
    """At most sixty characters, as they stand: the blank before a quantity is what is wrong with it."""
    assert shortened(content) == text


def test_json_that_ends_too_early_is_told() -> None:
    """Also where the text ends with a line break, so that there is no line to show."""
    documents, mistakes = read_documents([io.BytesIO(b'{"a": [1,\n\t')])
    assert documents == []
    assert mistakes
