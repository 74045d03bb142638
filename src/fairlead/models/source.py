"""Where in the input a value was written."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """File and line of a value.

    Parameters
    ----------
    file
        Path as the user gave it, ``-`` for standard input, ``<dict>`` for a parsed document.
    line
        Line number from 1; 0 where there is none (parsed documents).
    """

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


NOWHERE = Source("<dict>", 0)
"""Stands for objects that were made in Python, not read."""
