"""Makes the description of the package from the README; everything else is in pyproject.toml."""

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
_LINK = re.compile(r"\]\((?!https?:|#)([^)\s]+)\)")
_PICTURES = (".png", ".svg")


def description() -> str:
    """Return the README with addresses for links, as a package page has no files beside it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    repository = project.get("urls", {}).get("Repository")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return _LINK.sub(lambda link: f"]({_address(repository, link[1])})", readme) if repository else readme


def _address(repository: str, target: str) -> str:
    """Return where the code host shows a file or folder; a picture itself."""
    suffix = Path(target.partition("#")[0]).suffix
    kind = "raw" if suffix in _PICTURES else "blob" if suffix else "tree"
    return f"{repository}/{kind}/main/{target}"


if __name__ == "__main__":
    setup(long_description=description(), long_description_content_type="text/markdown")
