"""The description on a package page is the README with links that hold there."""

import importlib.util
import re
import tomllib
from types import ModuleType

import pytest

from places import ROOT

REPOSITORY = "https://example.org/fairlead"


@pytest.fixture
def build() -> ModuleType:
    """Return the module that makes the description, without building anything."""
    spec = importlib.util.spec_from_file_location("fairlead_setup", ROOT / "setup.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_links_of_the_description_are_addresses(build: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files, folders and pictures each as code hosts serve them; nothing else of the README changes."""
    monkeypatch.setattr(tomllib, "loads", lambda _: {"project": {"urls": {"Repository": REPOSITORY}}})
    text = build.description()
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    assert all(target.startswith("https://") for target in targets)
    assert f"{REPOSITORY}/blob/main/docs/rules.md#due" in targets
    assert f"{REPOSITORY}/tree/main/examples/fleet" in targets
    assert f"{REPOSITORY}/raw/main/docs/screenshots/report.png" in targets
    assert re.sub(rf"{REPOSITORY}/(blob|tree|raw)/main/", "", text) == (ROOT / "README.md").read_text()


def test_the_readme_stays_where_no_repository_is_named(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address is never made up."""
    monkeypatch.setattr(tomllib, "loads", lambda _: {"project": {}})
    assert build.description() == (ROOT / "README.md").read_text()
