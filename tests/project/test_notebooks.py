"""The notebooks of examples/ run from top to bottom, and every cell shows what a notebook can show."""

import ast
import json
from contextlib import chdir
from functools import cache
from typing import Any

import pytest

from places import EXAMPLES

NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


def shown(source: str, names: dict[str, Any]) -> object:
    """Run a cell as a notebook does, and return the value of its last line; None where that has none."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)  # noqa: S102 - our own notebooks
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307


def rendered(value: object) -> str:
    """Return what a notebook shows of a value: HTML, a picture, or text."""
    for form in ("_repr_html_", "_repr_svg_", "__repr__"):
        if hasattr(value, form):
            text: str = getattr(value, form)()
            return text
    raise AssertionError(f"nothing shows {value!r}")


@cache
def ran(name: str) -> tuple[dict[str, Any], list[str]]:
    """Return the variables of a notebook that has run, and what its cells show."""
    notebook = json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert notebook["nbformat"] == 4
    # Outputs grow old; who opens the notebook runs it.
    assert [cell["outputs"] for cell in cells] == [[]] * len(cells)
    with chdir(EXAMPLES):
        return names, [rendered(shown("".join(cell["source"]), names)) for cell in cells]


@pytest.mark.parametrize("name", [file.stem for file in NOTEBOOKS])
def test_a_notebook_runs(name: str) -> None:
    """Every cell ends with something to see."""
    _, told = ran(name)
    assert len(told) >= 5
    assert all(len(one) > 5 for one in told)


def test_what_the_drain_says() -> None:
    """The text beside the cells is right: it fits, and with a limit of five there are more waves."""
    names, _ = ran("drain-a-cluster")
    assert names["simulation"].fits
    assert len(names["slow"].waves.waves) > len(names["plan"].waves.waves)
    assert names["slow"].moves == names["plan"].moves


def test_what_the_loss_says() -> None:
    """Somebody is short without the region, so that there is something to look at."""
    names, _ = ran("lose-a-region")
    assert any(effect.unplaced for effect in names["lost"].effects)
