"""Pieces of Markdown that the pages of the reference share."""

import re
from collections.abc import Sequence

_CODE = re.compile(r"(`[^`]*`)")
_SPECIAL = re.compile(r"([\\*_<\[\]])")


def prose(text: str) -> str:
    """Return words as Markdown that shows them as they are; what stands in backticks stays code."""
    return "".join(
        part if part.startswith("`") else _SPECIAL.sub(r"\\\1", part) for part in _CODE.split(text)
    )


def described(term: str, paragraphs: Sequence[str]) -> str:
    """Return an entry of a definition list, of Markdown."""
    return f"{term}\n:   " + "\n\n    ".join(paragraphs) + "\n"
