"""JSON, YAML and parsed documents that are taken as they are: the same values, lines and mistakes as ever."""

import gc
import io
import json
import pickle
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import fairlead
from fairlead.manifests.api.policies import StaticClusterWeight
from fairlead.manifests.karmada.interpret import PlacementReading
from fairlead.manifests.karmada.preferences import weighted_terms
from fairlead.manifests.yaml import late, reader
from fairlead.manifests.yaml.builder import Builder
from fairlead.manifests.yaml.documents import Places
from fairlead.manifests.yaml.json_text import build
from fairlead.manifests.yaml.quick import copy_plain, parse_block, parse_json
from fairlead.manifests.yaml.reader import read_text
from fairlead.models.errors import ManifestError
from fairlead.models.uncollected import uncollected
from fairlead.models.workload import Workload

NUMBERS = ("1", "-0", "0.0", "-0.0", "1e3", "1.50", "1E400", "9" * 21, "9007199254740993.0", "1e16", "0.1")
TEXTS = (
    "a",
    '":',
    "\\",
    '\\":',
    "x\\",
    ": ",
    " :",
    "\u2028",
    "é",
    "<<",
    "yes",
    '{"a":1}',
    "\n",
    "\ud800",
    "",
)
KEYS = ("a", "b", "items", "kind", "\\", "x\\", '":', "<<", "é", '"')


def some_json(draw: random.Random, depth: int) -> str:
    """Return a JSON text with everything that two readers might see differently, keys twice among it."""
    kind = draw.randrange(8 if depth else 4)
    if kind == 0:
        return draw.choice(NUMBERS)
    if kind == 1:
        return json.dumps(draw.choice(TEXTS))
    if kind < 4:
        return draw.choice(["true", "null", "1", '"b"'])
    space = draw.choice(["", "", " ", "\n", "\n  ", "\t"])
    if kind == 4:
        inside = [some_json(draw, depth - 1) for _ in range(draw.randrange(4))]
        return "[" + space + f",{space}".join(inside) + space + "]"
    entries = [
        json.dumps(draw.choice(KEYS)) + draw.choice(["", "", "", " "]) + ":" + some_json(draw, depth - 1)
        for _ in range(draw.randrange(4))
    ]
    return "{" + space + f",{space}".join(entries) + space + "}"


def every_line(value: Any, places: Places) -> list[int]:
    """Return the lines of a value and of all inside it."""
    steps = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [
        places.line,
        *(line for step in steps for line in every_line(value[step], places.entry(value, step))),
    ]


def assert_same(kind: str, text: str, quickly: str) -> None:
    """Compare what is read of a text, quickly and not: values, lines and mistakes."""
    quick, found = read_text(f"x.{kind}", text)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reader, quickly, lambda _: None)
        slow, expected = read_text(f"x.{kind}", text)
    assert list(map(str, found)) == list(map(str, expected)), text
    # Only the slow way tells of YAML documents in which nothing stands.
    quick, slow = ([one for one in read if kind == "json" or one[0] is not None] for read in (quick, slow))
    assert [repr(value) for value, _ in quick] == [repr(value) for value, _ in slow], text
    assert [every_line(*one) for one in quick] == [every_line(*one) for one in slow], text


def test_the_quick_way_reads_the_same() -> None:
    """Values, mistakes and all lines are those that the reader of YAML finds."""
    for seed in range(300):
        draw = random.Random(seed)
        items = ",\n".join(some_json(draw, 3) for _ in range(3))
        assert_same("json", f'\n{{"kind": "List",\n "items": [{items}]}}', "parse_json")
        assert_same("json", f'{{"a": {some_json(draw, 4)}}}', "parse_json")


SCALARS = [
    "1",
    "a",
    "x y",
    "'q'",
    '""',
    "{}",
    "[]",
    "yes",
    "~",
    "0x1f",
    "010",
    "1e3",
    "1.0",
    ".5",
    "a:b",
    "a#c",
    "-5",
    "1_000",
    "a - b",
    "http://x/y?z=1&b",
]
ODD_SCALARS = [
    ".inf",
    "a: b",
    "a #c",
    "#c",
    "- a",
    "|",
    "&a",
    "*a",
    "!!str 1",
    "[a]",
    "a ",
    "é",
    "a:",
    "? a",
    "-",
    '"a" b',
]
NAMES = ("a", "b", "items", "on", "y", "a.b/c", "_x", "a-b", "n0", "c", "d", "1", "null", "a b", '"k"')


def some_block(draw: random.Random, depth: int, column: int) -> list[str]:
    """Return lines of a mapping that begins at a column, most of them plain."""
    lines = []
    for _ in range(draw.randrange(1, 4)):
        head = " " * column + draw.choice(NAMES[: 11 if draw.random() < 0.95 else None]) + ":"
        kind = draw.randrange(7 if depth else 4)
        if kind < 3:
            scalars = SCALARS if draw.random() < 0.95 else ODD_SCALARS
            lines.append(f"{head} {draw.choice(scalars)}")
            continue
        lines.append(head)
        if kind == 4:
            lines += some_block(draw, depth - 1, column + draw.choice([1, 2, 4]))
        if kind > 4:
            inside = column + draw.choice([0, 2])
            for _ in range(draw.randrange(1, 3)):
                dashes = draw.choice(["- ", "- - "])
                first, *others = some_block(draw, depth - 1, inside + len(dashes))
                scalar = f"{' ' * inside}{dashes}{draw.choice(SCALARS)}"
                item = [" " * inside + dashes + first.lstrip(" "), *others]
                lines += draw.choice([item, [scalar]])
    return lines


def test_plain_yaml_reads_the_same() -> None:
    """Values, mistakes and all lines are those that libyaml finds, also where lines were moved or lost."""
    for seed in range(500):
        draw = random.Random(seed)
        lines = some_block(draw, 3, 0)
        for _ in range(draw.choice([0, 0, 0, 1, 2])):
            place = draw.randrange(len(lines))
            moved = lines[place][1:], f" {lines[place]}"
            other = draw.choice(["", "# c", "  # c", "---", "...", "  x", *moved])
            lines[place : place + draw.randrange(2)] = [other]
        assert_same("yaml", "\n".join(lines) + draw.choice(["", "\n", "\n---\n"]), "parse_block")


def test_what_kubectl_prints_is_plain() -> None:
    """A list with two items, the last of which ends before the keys of the list."""
    text = "apiVersion: v1\nitems:\n- a: 1\n  b:\n  - c\n- a: 2\n  b: {}\nkind: List\nmetadata:\n  x: ''\n"
    assert parse_block(text) == [
        (
            {
                "apiVersion": "v1",
                "items": [{"a": 1, "b": ["c"]}, {"a": 2, "b": {}}],
                "kind": "List",
                "metadata": {"x": ""},
            },
            0,
            11,
        )
    ]
    ((_, places),) = read_text("x.yaml", text)[0]
    assert isinstance(places, late.LateLines)
    assert [places.text.line(("items", 1, *path)) for path in ((), ("b",))] == [6, 7]
    assert [item.text for item in places.text.items] == ["- a: 1\n  b:\n  - c\n", "- a: 2\n  b: {}\n"]


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\na: 2",
        "a: |\n  x",
        "a: &x 1",
        "a: b\n  c",
        "- a",
        "a: [1]",
        'a: "x\\n"',
        "a: é",
        "a: .inf",
        "a:\n b: 1\n  c: 2",
    ],
)
def test_yaml_that_is_not_plain(text: str) -> None:
    """Keys twice, texts over several lines, anchors, lists in brackets, escapes, what does not line up."""
    assert parse_block(text) is None


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"x" : 1, "a": {"a": 1, "a": 2}}',
        '{"x\\\\": 1, "a": 1, "a": 2}',
        '{"a": 1e400}',
        '{"a": 100000000000000000000}',
        '{"a": NaN}',
        '{"a": ' * 101 + "1" + "}" * 101,
        "[1]",
        '{"a": 1} {"b": 2}',
        '{"a": 1,}',
    ],
)
def test_what_needs_a_closer_look_is_left_to_the_reader_of_yaml(text: str) -> None:
    """Keys twice, numbers that are not exact, what nests too deep, and what is no single object."""
    assert parse_json(text) is None


def test_parsed_documents_are_copied() -> None:
    """What the caller changes later changes nothing that was read; what is shared is left to the builder."""
    document = {"a": [1, {"b": None}]}
    copied = copy_plain(document)
    assert copied == document
    document["a"].append(2)
    assert copied == {"a": [1, {"b": None}]}
    shared: list[int] = []
    for other in ({"a": 1.5}, {1: 2}, {"a": (1,)}, {"a": {1}}, {"a": [shared, shared]}, {"a": "\ud800"}):
        assert copy_plain(other) is None


def binding(number: int, weight: int) -> dict[str, Any]:
    """Return a binding with a static weight."""
    term = {"targetCluster": {"clusterNames": ["m1"]}, "weight": weight}
    division = {
        "replicaSchedulingType": "Divided",
        "replicaDivisionPreference": "Weighted",
        "weightPreference": {"staticWeightList": [term]},
    }
    return {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding",
        "metadata": {"name": f"app-{number}", "namespace": "default"},
        "spec": {
            "resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": f"app-{number}"},
            "replicas": 1,
            "placement": {"replicaScheduling": division},
        },
    }


CLUSTER = {"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": {"name": "m1"}}


def listed(bindings: list[dict[str, Any]]) -> str:
    """Return a list as kubectl prints it."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": [CLUSTER, *bindings]}, indent=4)


def test_a_mistake_at_the_end_has_its_line_and_only_its_object_is_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of two hundred bindings the last one has a negative weight."""
    text = listed([binding(number, 1) for number in range(200)])
    text = '"weight": -7'.join(text.rsplit('"weight": 1', 1))
    line = text[: text.index('"weight": -7')].count("\n") + 1
    read: list[int] = []

    def counting(builder: Builder, text: str, begin: int, end: int, line: int) -> None:
        read.append(end - begin)
        build(builder, text, begin, end, line)

    monkeypatch.setattr("fairlead.manifests.yaml.late.build", counting)
    problem = fairlead.load(io.StringIO(text))
    assert any(f"<stream>:{line}" == str(warning.source) for warning in problem.warnings)
    assert len(read) == 1
    assert read[0] < len(text) / 100


def test_lines_of_a_sound_file_are_not_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading asks for no line; each one that is asked for later is right, also in another process."""
    for look in ("whole", "items"):
        looked_for = property(lambda _: pytest.fail("the lines were looked for"))
        monkeypatch.setattr(late.LateText, look, looked_for)
    file = tmp_path / "all.json"
    text = listed([binding(number, 1) for number in range(30)])
    file.write_text(text)
    problem = fairlead.load(str(file))
    monkeypatch.undo()
    sent = pickle.loads(pickle.dumps(problem.workloads[2]))
    lines = text.splitlines()
    for workload in (problem.workloads[2], sent):
        assert workload.replicas_source is not None
        assert lines[workload.source.line - 1].strip() == "{"
        assert lines[workload.replicas_source.line - 1].strip() == '"replicas": 1,'
    assert len(pickle.dumps(problem.workloads[2].source)) < len(text) / 10


def weights_of(workload: Workload) -> Sequence[StaticClusterWeight]:
    """Return the terms that a workload was divided by."""
    assert isinstance(workload.reading, PlacementReading)
    return weighted_terms(workload.reading.declared.placement)


def test_terms_that_read_the_same_are_one_object() -> None:
    """Of a hundred bindings with the weights 1 and 2, two terms are kept."""
    problem = fairlead.load([CLUSTER, *[binding(number, 1 + number % 2) for number in range(100)]])
    terms = [term for workload in problem.workloads for term in weights_of(workload)]
    assert len(terms) == 100
    assert len({id(term) for term in terms}) == 2


def test_true_is_not_the_weight_one() -> None:
    """Terms are told apart by how they read, not by what Python takes for equal."""
    wrong = binding(2, 1)
    wrong["spec"]["placement"]["replicaScheduling"]["weightPreference"]["staticWeightList"][0]["weight"] = (
        True
    )
    with pytest.raises(ManifestError, match="must be a whole number"):
        fairlead.load([CLUSTER, wrong])
    problem = fairlead.load([CLUSTER, binding(1, 1), wrong])
    assert [workload.name for workload in problem.workloads] == ["app-1"]


def test_the_collector_is_as_before() -> None:
    """Also after an error, and where it was off."""
    with pytest.raises(ManifestError), uncollected():
        fairlead.load({"apiVersion": "v1"})
    assert gc.isenabled()
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
