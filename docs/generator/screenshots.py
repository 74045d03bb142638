"""Pictures of reports for the documentation, taken with a headless Chromium: ``make screenshots``."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from site_links import ROOT

FOLDER = ROOT / "docs" / "screenshots"
LARGEST = 300_000
"""Bytes that a picture may have, as all of them are in the repository."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PATIENCE = 120.0
"""Seconds after which a browser hangs."""


class Shot(NamedTuple):
    """A picture: the example, options of the plan that is reported, and the size of the window in pixels."""

    example: str
    options: Sequence[str]
    width: int
    height: int


SHOTS: Mapping[str, Shot] = {
    "report": Shot("examples/fleet", ("--drain", "eu-west-2"), 1000, 1560),
    "tutorial-report": Shot(
        "examples/fleet", ("--drain", "eu-west-2", "--max-moves-per-wave", "12"), 1000, 900
    ),
}
"""All pictures, by the name of their file."""


def main() -> int:
    """Take every picture; where there is no browser, say so and leave the old ones."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print(f"No Chromium here ({', '.join(BROWSERS)}): the pictures in docs/screenshots stay as they are.")
        return 0
    FOLDER.mkdir(exist_ok=True)
    for name, shot in SHOTS.items():
        file = FOLDER / f"{name}.png"
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "report.html"
            _write(page, shot)
            _take(browser, page, file, shot)
        print(f"{file.relative_to(ROOT)}: {file.stat().st_size // 1000} kB")
        if file.stat().st_size > LARGEST:
            print(f"larger than {LARGEST // 1000} kB: take less of the page", file=sys.stderr)
            return 1
    return 0


def _write(page: Path, shot: Shot) -> None:
    """Make a plan of an example, and write its page; the command on it names no place of this machine."""
    command = [sys.executable, "-m", "fairlead", "plan", "-f", shot.example, *shot.options, "-o", "html"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)  # noqa: S603 - our own program
    page.write_bytes(done.stdout)


def _take(browser: str, page: Path, file: Path, shot: Shot) -> None:
    """Take a picture of the beginning of a page, in light colours, with a profile that is thrown away."""
    command = [
        browser,
        "--headless",
        # Containers have no user for the sandbox; the page is our own and asks for nothing.
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={page.parent / 'profile'}",
        "--blink-settings=preferredColorScheme=1",
        f"--window-size={shot.width},{shot.height}",
        f"--screenshot={file}",
        page.as_uri(),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=_PATIENCE)  # noqa: S603 - found by us


if __name__ == "__main__":
    sys.exit(main())
