"""The plugin for krew: the archive that it installs, and its manifest with the checksum filled in."""

import gzip
import hashlib
import io
import tarfile
from pathlib import Path
from string import Template

from locked import ROOT

TEMPLATES = ROOT / "deploy" / "krew"


def archive(version: str) -> bytes:
    """Return the archive: the program and the licence; the same bytes wherever and whenever it is made."""
    program = (TEMPLATES / "kubectl-fairlead").read_text(encoding="utf-8").replace("${VERSION}", version)
    files = {
        "kubectl-fairlead": (program.encode(), 0o755),
        "LICENSE": ((ROOT / "LICENSE").read_bytes(), 0o644),
    }
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, (content, mode) in files.items():
            about = tarfile.TarInfo(name)
            about.size, about.mode = len(content), mode
            tar.addfile(about, io.BytesIO(content))
    return gzip.compress(inner.getvalue(), mtime=0)


def write(version: str, repository: str, folder: Path) -> tuple[Path, Path]:
    """Write the archive and the manifest into a folder; return both files."""
    packed = archive(version)
    name = f"kubectl-fairlead-{version}.tar.gz"
    values = {
        "VERSION": version,
        "REPOSITORY": repository,
        "ARCHIVE": name,
        "SHA256": hashlib.sha256(packed).hexdigest(),
    }
    template = Template((TEMPLATES / "fairlead.yaml").read_text(encoding="utf-8"))
    _, _, manifest = template.template.partition("\n")  # the first line is about the template
    written = folder / name, folder / "fairlead.yaml"
    written[0].write_bytes(packed)
    written[1].write_text(Template(manifest).substitute(values), encoding="utf-8")
    return written
