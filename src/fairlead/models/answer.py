"""Answers and their renderer: pure data; the code that shows answers is handed in by the face."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from fairlead.models.errors import UsageError
from fairlead.models.shown import Shown

if TYPE_CHECKING:
    import pandas as pd


class Renderer(Protocol):
    """Renderings of answers: text, HTML, SVG, JSON. `fairlead` hands in `fairlead.report.renderer`."""

    def text(self, answer: Answer) -> str:
        """Return a short, readable rendering."""
        ...

    def verdict(self, answer: Answer) -> str:
        """Return the verdict on the answer, in a sentence; of a comparison a line for each."""
        ...

    def notebook(self, shown: Shown) -> str:
        """Return a short rendering as HTML; every text of the input is escaped."""
        ...

    def plot(self, answer: Answer) -> str:
        """Return pictures of an answer as an SVG document; empty where it has none."""
        ...

    def document(self, answer: Answer, *, decisions: bool = True) -> dict[str, Any]:
        """Return JSON-ready values, of an outcome with or without its decisions."""
        ...

    def frame(self, answer: Answer) -> pd.DataFrame:
        """Return a data frame of an outcome."""
        ...

    def manifests(
        self, answer: Answer, subresource: Literal["status"] | None = None
    ) -> tuple[dict[str, Any], ...]:
        """Return the patches of an outcome: of the objects, or of one subresource."""
        ...


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture that needs no library: notebooks show it, and it can be saved."""

    svg: str = field(repr=False)
    """The picture as an SVG document; its colours follow the reader's scheme."""

    def save(self, file: str | Path) -> None:
        """Write the picture to a file, such as ``fleet.svg``."""
        Path(file).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg


class Answer(Shown):
    """Answer to a question, shown by the renderer. Its ``repr`` is short, as answers hold whole problems."""

    __slots__ = ()

    @property
    def answered(self) -> bool:
        """Whether it holds what was asked for, and not only why there is nothing."""
        return True

    @property
    def shown_by(self) -> Renderer:
        """The renderer, imported when it is first asked for."""
        renderer: Renderer = Shown.renderer()
        return renderer

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; the keys are described in `fairlead.report.documents`."""
        return self.shown_by.document(self)

    def plot(self) -> Plot:
        """Return a picture of how full every cluster is: now and after, in every wave, or by scheduler.

        Raises
        ------
        UsageError
            Where there is nothing to draw: no placement, or no cluster that reports its capacity.
        """
        svg = self.shown_by.plot(self)
        if not svg:
            raise UsageError(f"{type(self).__name__}: nothing to plot, as no cluster is known to be used")
        return Plot(svg)

    def __str__(self) -> str:
        return self.shown_by.text(self)

    def __repr__(self) -> str:
        first, *others = self.shown_by.verdict(self).splitlines()
        return f"<{type(self).__name__}: {first.rstrip(':')}{' ...' if others else ''}>"
