"""What the figures were measured on."""

import os
import platform
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path


def described() -> Mapping[str, str]:
    """Return machine, versions, and when it is measured, in words."""
    busy = load()
    packages = ("fairlead", "ortools", "numpy")
    return {
        "measured": today() + ("" if busy is None else f", {busy:.1f} processes at work before it began"),
        "processor": _found(r"model name\s*:\s*(.+)", "/proc/cpuinfo") or platform.processor() or "unknown",
        "cores": str(os.cpu_count()),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "versions": ", ".join(f"{name} {version(name)}" for name in packages),
    }


def today() -> str:
    """Return the date."""
    return datetime.now(UTC).strftime("%Y-%m-%d")


def load() -> float | None:
    """Return how many processes want to run at the moment; None where the system does not tell."""
    try:
        return os.getloadavg()[0]
    except OSError:
        return None


def _memory() -> str:
    """Return the memory of the machine."""
    kibibytes = _found(r"MemTotal:\s+(\d+)", "/proc/meminfo")
    return f"{int(kibibytes) / 2**20:.0f} GiB" if kibibytes else "unknown"


def _found(pattern: str, file: str) -> str | None:
    """Return what a pattern finds in a file of the system; None where there is no such file."""
    path = Path(file)
    match = re.search(pattern, path.read_text()) if path.exists() else None
    return match[1].strip() if match else None
