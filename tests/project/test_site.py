"""The pages of the documentation hold in the repository and on the site, which `make docs` builds."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import click
import pytest

import fairlead
from fairlead import extending
from fairlead.cli.app import cli
from fairlead.manifests.own.schema import WRITTEN_KINDS, json_schema
from fairlead.models import rules
from places import EXAMPLES, ROOT
from site_commands import command_line_page
from site_examples import example_pages
from site_kinds import kinds_page
from site_links import MOVED, for_site
from site_python import python_pages
from site_text import described, prose

PAGES = (*(ROOT / name for name in MOVED), *sorted((ROOT / "docs").rglob("*.md")))
_FENCED = re.compile(r"^(```+).*?^\1$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
_ITEM = re.compile(r"( *)([-*+]|\d+\.) ")


def _prose_of(page: Path) -> str:
    """Return the text of a page without its blocks of code."""
    return _FENCED.sub("", page.read_text(encoding="utf-8"))


def _anchors(page: Path) -> set[str]:
    """Return what a link may name on a page, as code hosts make it of headings."""
    headings = re.findall(r"^#+ (.*)$", _prose_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_hold_in_the_repository(page: Path) -> None:
    """A relative link names a file or folder that is there, and a heading that it has."""
    for target, anchor in _LINK.findall(_prose_of(page)):
        file = page.parent / target if target else page
        assert file.exists(), target
        assert not anchor or anchor in _anchors(file), f"{target}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lists_are_lists_on_the_site(page: Path) -> None:
    """The site wants a blank line before a list and four blanks before a list in it; code hosts do not."""
    before = ""
    for line in _prose_of(page).splitlines():
        if item := _ITEM.match(line):
            assert len(item[1]) % 4 == 0, line
            # What goes on from an item is indented; what is not is a paragraph.
            assert not before or before.startswith(" ") or _ITEM.match(before), line
        before = line.rstrip()


def test_links_are_moved_with_their_pages() -> None:
    """README and docs/ stand beside each other, an example is a page; other links stay."""
    assert for_site("[a](docs/rules.md#due) [b](examples/fleet) [c](CHANGELOG.md)", "index.md") == (
        "[a](rules.md#due) [b](examples/fleet.md) [c](changelog.md)"
    )
    assert for_site("[a](../examples/fleet/stories) [b](week.md)", "rules.md") == (
        "[a](examples/fleet.md) [b](week.md)"
    )
    assert for_site("[a](../examples/drain.ipynb)", "report.md") == "[a](examples/index.md)"
    assert for_site("[a](../own-kinds.md)", "reference/kinds.md") == "[a](../own-kinds.md)"
    assert for_site("[a](https://example.org/docs/x) [b](#due)", "index.md") == (
        "[a](https://example.org/docs/x) [b](#due)"
    )


def test_words_stay_as_they_are() -> None:
    """What Markdown would read as markup is shown, but for code; an entry is indented by four."""
    assert prose("[x>=1] *all* of `a_b*`") == r"\[x>=1\] \*all\* of `a_b*`"
    assert described("`a`", ["one", "two"]) == "`a`\n:   one\n\n    two\n"


def _sections(page: str) -> dict[str, str]:
    """Return the text below every heading of the second level."""
    parts = re.split(r"^## (.*)$", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_command_line_page_names_every_option() -> None:
    """Every command has a section, in which every option that is not hidden stands."""
    sections = _sections(command_line_page())
    assert sections.keys() == cli.commands.keys()
    for name, command in cli.commands.items():
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                entry = rf"^`[^`]*{re.escape(option.opts[-1])}\b[^`]*`\n:   "
                assert re.search(entry, sections[name], re.MULTILINE), option
        assert "`-h, --help`" in sections[name]


def _fields(kind: str) -> Iterator[str]:
    """Yield every field of a kind and of its parts."""
    schema = json_schema(kind)
    for part in (schema["properties"]["spec"], *schema["$defs"].values()):
        yield from part.get("properties", {})


def test_kinds_page_names_every_field() -> None:
    """Every kind has a section, every field an entry, and every link of the page a heading."""
    page = kinds_page()
    assert [*_sections(page)] == [*WRITTEN_KINDS, "Parts that kinds share"]
    for kind in WRITTEN_KINDS:
        for field in _fields(kind):
            assert f"\n`{field}`\n:   " in page, field
    headings = {heading.lower() for heading in re.findall(r"^#+ (\w+)$", page, re.MULTILINE)}
    assert set(re.findall(r"\(#(.*?)\)", page)) <= headings
    # Two ways to say what `Survival` survives.
    assert "Exactly one of `field`, `losses` is required." in page


def test_python_pages_name_everything_public() -> None:
    """Every public name, every rule and all that extensions need has a place, once."""
    named = re.findall(r"^::: (\S+)$", "\n".join(python_pages().values()), re.MULTILINE)
    public = [f"fairlead.{name}" for name in fairlead.__all__ if not name.startswith("_")]
    others = [f"{one.__name__}.{name}" for one in (rules, extending) for name in one.__all__]
    assert sorted(named) == sorted([*public, *others])


def test_every_example_is_a_page_with_its_manifests() -> None:
    """A page per folder holds the text of its files; the list names it."""
    pages = example_pages()
    folders = [path for path in EXAMPLES.iterdir() if path.is_dir()]
    assert pages.keys() == {"examples/index.md", *(f"examples/{folder.name}.md" for folder in folders)}
    for folder in folders:
        assert f"]({folder.name})" in pages["examples/index.md"]
        for manifest in folder.rglob("*.yaml"):
            assert manifest.read_text(encoding="utf-8").rstrip() in pages[f"examples/{folder.name}.md"]


def test_no_question_is_decided_twice() -> None:
    """A row that stands in two sections of the decisions would be changed in one of them only."""
    rows = re.findall(r"^\| ([^|]+) \|", (ROOT / "docs/decisions.md").read_text(), re.MULTILINE)
    questions = [row for row in rows if row not in {"question", "---"}]
    assert len(questions) > 100
    assert sorted(set(questions)) == sorted(questions)


def test_every_field_of_a_public_class_is_described() -> None:
    """Below the field or among the Parameters of its class: the site leaves out fields that have neither."""
    for module, name in ((one, name) for one in (fairlead, rules, extending) for name in one.__all__):
        found = getattr(module, name)
        if not inspect.isclass(found) or "\nParameters\n" in (inspect.getdoc(found) or ""):
            continue
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(found))).body
        assert isinstance(tree, ast.ClassDef)
        for field, after in pairwise([*tree.body, ast.Pass()]):
            if isinstance(field, ast.AnnAssign) and "ClassVar" not in ast.unparse(field.annotation):
                told = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                assert told or ast.unparse(field.target).startswith("_"), f"{name}: {ast.unparse(field)}"
