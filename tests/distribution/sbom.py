"""
Write the bill of materials of fairlead: what is installed with it, as CycloneDX 1.6 in JSON.

Run by ``make sbom`` as ``python tests/distribution/sbom.py FILE``. It is made from requirements.lock, so the
same lock gives the same file, byte by byte: no time and no serial number is in it.
"""

import json
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

from fairlead.version import VERSION
from locked import declared, extras, needs, pins, runtime


def bill() -> dict[str, Any]:
    """Return the document: what everybody installs is required, what only extras install is optional."""
    required, every = runtime(), runtime(extras())
    parts = sorted((name, version) for name, version in pins() if name in every)
    named: dict[str, list[str]] = {}
    for name, version in parts:
        named.setdefault(name, []).append(_reference(name, version))
    components = [_component(name, version, required=name in required) for name, version in parts]
    wanted = [(_reference(name, version), needs(name)) for name, version in parts]
    wanted.append((_reference("fairlead", VERSION), declared(extras())))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {**_component("fairlead", VERSION), "type": "application"}},
        "components": components,
        "dependencies": [
            {"ref": ref, "dependsOn": sorted(one for name in names for one in named.get(name, ()))}
            for ref, names in sorted(wanted)
        ],
    }


def _reference(name: str, version: str) -> str:
    """Return the package URL of a version."""
    return f"pkg:pypi/{name}@{version}"


def _component(name: str, version: str, *, required: bool = True) -> dict[str, Any]:
    """Return one distribution, with its licence where it states one in SPDX's words."""
    reference = _reference(name, version)
    found = {"type": "library", "bom-ref": reference, "name": name, "version": version, "purl": reference}
    licence = _licence(name)
    return {
        **found,
        **({} if name == "fairlead" else {"scope": "required" if required else "optional"}),
        **({"licenses": [{"expression": licence}]} if licence else {}),
    }


def _licence(name: str) -> str | None:
    """Return the licence expression of an installed distribution; None where it has none."""
    try:
        expression: str | None = metadata(name)["License-Expression"]
    except (PackageNotFoundError, KeyError):
        return None
    return expression


def text() -> str:
    """Return the document as the text of its file."""
    return json.dumps(bill(), indent=2, sort_keys=True) + "\n"


def main() -> int:
    """Write the file that is named; return the exit code."""
    if len(sys.argv) != 2:
        print("usage: sbom.py FILE", file=sys.stderr)
        return 2
    file = Path(sys.argv[1])
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text(), encoding="utf-8")
    print(f"{file}: {len(bill()['components'])} components")
    return 0


if __name__ == "__main__":
    sys.exit(main())
