"""A page for every example, with its manifests, and the list of them."""

from collections.abc import Iterator
from pathlib import Path

from site_links import ROOT

_LANGUAGES = {".yaml": "yaml", ".py": "python"}


def example_pages() -> dict[str, str]:
    """Return the pages of the examples by their place on the site."""
    pages = {"examples/index.md": (ROOT / "examples" / "README.md").read_text(encoding="utf-8")}
    for folder in sorted(path for path in (ROOT / "examples").iterdir() if path.is_dir()):
        pages[f"examples/{folder.name}.md"] = _page(folder)
    return pages


def _page(folder: Path) -> str:
    """Return the page of an example: its name and what its files hold."""
    parts = [f"# {folder.name}\n\n    fairlead examples {folder.name}\n"]
    parts += [f"## {path.relative_to(folder)}\n\n{_block(path)}" for path in _files(folder)]
    return "\n".join(parts)


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of those below that are text for people."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in _LANGUAGES:
            yield path


def _block(path: Path) -> str:
    """Return a block of code with a file; four backticks, as the file may hold three."""
    text = path.read_text(encoding="utf-8").rstrip()
    return f"````{_LANGUAGES[path.suffix]}\n{text}\n````\n"
