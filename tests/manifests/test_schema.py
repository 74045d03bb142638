"""The printed JSON Schema of our own kinds accepts the examples and refuses what the reader refuses."""

import json
import re
from collections.abc import Iterator
from typing import Any

import click
import pytest
import yaml

from fairlead.cli.app import main
from fairlead.manifests.api.own import OWN_KINDS
from fairlead.manifests.loading import load
from fairlead.manifests.own.schema import json_schema
from fairlead.manifests.yaml.documents import OWN_API_VERSION
from fairlead.models.errors import ManifestError
from own_builders import own
from places import ROOT

Schema = dict[str, Any]

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
}


def faults(value: Any, schema: Schema, root: Schema, path: str = "$") -> Iterator[str]:
    """Check a value against the part of JSON Schema that is printed; an unknown keyword is an error."""
    for keyword, wanted in schema.items():
        match keyword:
            case "$schema" | "$defs" | "title" | "description" | "properties" | "items":
                continue
            case "$ref":
                yield from faults(value, root["$defs"][wanted.removeprefix("#/$defs/")], root, path)
            case "anyOf" | "oneOf":
                fitting = sum(not list(faults(value, one, root, path)) for one in wanted)
                if not fitting or (keyword == "oneOf" and fitting > 1):
                    yield f"{path}: fits {fitting} of the choices"
            case "required":
                yield from (f"{path}: lacks {name}" for name in wanted if name not in value)
            case "additionalProperties":
                yield from _others(value, schema, root, path)
            case _ if _breaks(value, keyword, wanted):
                yield f"{path}: {value!r} breaks {keyword} {wanted}"
    yield from _parts(value, schema, root, path)


def _others(value: Any, schema: Schema, root: Schema, path: str) -> Iterator[str]:
    """Check the entries of a mapping that have no property."""
    allowed = schema["additionalProperties"]
    for name in set(value) - set(schema.get("properties", {})):
        if allowed is False:
            yield f"{path}: does not know {name}"
        else:
            yield from faults(value[name], allowed, root, f"{path}.{name}")


def _breaks(value: Any, keyword: str, wanted: Any) -> bool:
    """Tell whether a value breaks a keyword that looks at the value alone."""
    number = isinstance(value, int | float)
    match keyword:
        case "type":
            names = [wanted] if isinstance(wanted, str) else wanted
            return isinstance(value, bool) or not isinstance(value, sum((TYPES[one] for one in names), ()))
        case "const":
            return bool(value != wanted)
        case "enum":
            return bool(value not in wanted)
        case "minLength":
            return bool(len(value) < wanted)
        case "pattern":
            return isinstance(value, str) and not re.search(wanted, value)
        case "minimum":
            return bool(number and value < wanted)
        case "maximum":
            return bool(number and value > wanted)
    raise AssertionError(f"the check does not know {keyword}")


def _parts(value: Any, schema: Schema, root: Schema, path: str) -> Iterator[str]:
    """Check what is inside a mapping or a list."""
    if isinstance(value, dict):
        for name, inner in schema.get("properties", {}).items():
            if name in value:
                yield from faults(value[name], inner, root, f"{path}.{name}")
    if isinstance(value, list) and "items" in schema:
        for position, item in enumerate(value):
            yield from faults(item, schema["items"], root, f"{path}[{position}]")


def examples() -> list[Any]:
    """Return every manifest of our own kinds in the examples and in the documentation."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").glob("*/*.yaml"))]
    documentation = (ROOT / "docs" / "own-kinds.md").read_text(encoding="utf-8")
    texts += re.findall(r"```yaml\n(.*?)```", documentation, re.DOTALL)
    read = (one for text in texts if OWN_API_VERSION in text for one in yaml.safe_load_all(text))
    return [one for one in read if one["apiVersion"] == OWN_API_VERSION]


def test_every_kind_has_an_example() -> None:
    """The documentation shows each kind, and what it shows is read without a mistake."""
    assert {one["kind"] for one in examples()} == set(OWN_KINDS)
    for one in examples():
        load(one)


@pytest.mark.parametrize("one", examples(), ids=lambda one: f"{one['kind']}-{one['metadata']['name']}")
def test_the_schema_accepts_the_examples(one: Schema) -> None:
    """By the schema of its kind, and by the one of all kinds."""
    for schema in (json_schema(one["kind"]), json_schema()):
        assert list(faults(one, schema, schema)) == []


@pytest.mark.parametrize(
    "wrong",
    [
        own("Survival", minReplicas=1),
        own("Survival", field="region", minPercent="101"),
        own("Survival", field="region", minReplicas=-1),
        own("PriceList", prices=[{"pricePerReplica": "cheap"}]),
        own("PriceList", prices=[{"perResource": {"cpu": -1}}]),
        own("Profile", deviation="l3"),
        own("GroupBounds", groups={}),
        own("MoveBudget", total=-1),
        own("MoveBudget", perWorkload="ten"),
        own("MoveBudget", arriving=[{"targetCluster": {}}]),
        own("HierarchicalWeights", by=["region"], weights={"eu": {"weight": "70"}}),
        own("WorkloadAffinity", type="Together"),
        {**own("Profile"), "metadata": {}},
    ],
    ids=lambda one: json.dumps(one["spec"]),
)
def test_the_schema_refuses_what_the_reader_refuses(wrong: Schema) -> None:
    """A single wrong field each."""
    schema = json_schema(wrong["kind"])
    assert list(faults(wrong, schema, schema))
    with pytest.raises(ManifestError):
        load(wrong)


def test_unknown_fields_are_refused() -> None:
    """An editor marks what the reader only warns about, at any depth."""
    schema = json_schema("HierarchicalWeights")
    manifest = own("HierarchicalWeights", by=["region"], weights={"eu": {"wieght": 1}})
    assert list(faults(manifest, schema, schema)) == ["$.spec.weights.eu: does not know wieght"]


@pytest.mark.parametrize("kind", sorted(OWN_KINDS))
def test_every_field_is_described(kind: str) -> None:
    """In all types of our own; the selectors of Kubernetes are described by their type."""
    foreign = ("LabelSelector", "FieldSelector")
    schema = json_schema(kind)
    for name, definition in (("", schema), *schema["$defs"].items()):
        assert definition["type"] == "object"
        assert definition.get("description") or not name
        for field, inner in definition["properties"].items():
            assert inner.get("description") or name.startswith(foreign), f"{name}.{field}"


def test_the_command_prints_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    """As JSON and as YAML, of one kind in any case and of all kinds."""
    for arguments, expected in ([], json_schema()), (["pricelist"], json_schema("PriceList")):
        assert main(["schema", *arguments]) == 0
        assert json.loads(capsys.readouterr().out) == expected
        assert main(["schema", *arguments, "-o", "yaml"]) == 0
        assert yaml.safe_load(capsys.readouterr().out) == expected


def test_unknown_kinds_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """With the names of those that there are."""
    assert main(["schema", "Deployment"]) == click.UsageError.exit_code
    told = capsys.readouterr().err
    assert [kind for kind in OWN_KINDS if kind.lower() not in told] == []


def test_help_names_all_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a list of its own."""
    main(["schema", "--help"])
    told = capsys.readouterr().out
    assert [kind for kind in OWN_KINDS if kind not in told] == []
