"""Docstrings begin with the thing that they are about, not with "what" or "something"."""

import ast

from places import ROOT

VAGUE = ("What", "Something", "Thing")


def test_docstrings_begin_with_a_noun() -> None:
    """Those of modules, classes, functions and fields: the cost, the replicas by cluster, the bound."""
    vague = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in sorted((ROOT / "src").rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and str(node.value.value).startswith(VAGUE)
    ]
    assert not vague
