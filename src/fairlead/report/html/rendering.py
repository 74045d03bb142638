"""From content to HTML: one file that needs no other."""

from __future__ import annotations

from importlib.resources import files

from fairlead.models.words import escaped
from fairlead.report.blocks import Page


def rendered(page: Page) -> str:
    """Return a page as HTML; every text is escaped, characters that nobody can see too."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def visible(value: object) -> object:
        """Escape what cannot be printed in plain texts; line breaks stay."""
        if isinstance(value, Markup) or not isinstance(value, str):
            return value
        return "\n".join(map(escaped, value.split("\n")))

    environment = Environment(
        loader=PackageLoader("fairlead.report.html"),
        # The names of the templates do not end in .html: nothing may depend on how they are called.
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (files("fairlead.report.html") / "templates" / "style.css").read_text(encoding="utf-8")
    template = environment.get_template("page.html.j2")
    # Besides the templates only the style sheet, which holds no input, and the pictures are markup; their
    # texts were escaped when they were drawn.
    return template.render(page=page, style=Markup(style), markup=Markup)  # noqa: S704
