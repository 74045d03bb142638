"""
Record what fairlead answers, and compare with what was recorded before: a redesign changes no answer.

    python tests/helpers/recording.py record FILE            # before the first step
    python tests/helpers/recording.py compare FILE           # after every step; says which answers differ
    python tests/helpers/recording.py compare FILE examples  # of a part only: names that begin so

What is recorded: what every command prints of every example, and the answers and the dispensers of random
problems and manifests. Seconds are left out. Answers that are not proven may differ and are left out as well.
"""

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import fairlead
from batch_problems import middling
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Outcome
from fairlead.models.problem import Problem
from fairlead.solver.dispense import DISPENSERS
from nested_problems import nested_problem
from places import EXAMPLES, ROOT
from random_manifests import karmada, kubeadmiral
from walk_problems import partial_walk_problem, standing_problem, walk_problem

PROBLEMS = 150
"""Random problems of every kind."""
SECONDS = 30.0
"""Time limit of every answer; hardly any needs a second."""

_SECONDS = re.compile(r"\b[0-9.]+ ?(s|ms|min)\b|\b(load|build|solve|target|waves): [0-9.e-]+")


def main(arguments: list[str]) -> int:
    """Record the answers, or compare them; return the number of answers that differ."""
    doing, file, *prefixes = arguments
    wanted = tuple(prefixes)
    found = {name: told() for name, told in _questions() if not wanted or name.startswith(wanted)}
    path = Path(file)
    if doing == "record":
        path.write_bytes(gzip.compress(json.dumps(found).encode(), mtime=0))
        print(f"{len(found)} answers recorded")
        return 0
    recorded: dict[str, str] = json.loads(gzip.decompress(path.read_bytes()))
    before = {name: text for name, text in recorded.items() if not wanted or name.startswith(wanted)}
    differ = [name for name in sorted(before.keys() | found.keys()) if before.get(name) != found.get(name)]
    for name in differ:
        print(f"{name}\n  before {_excerpt(before, found, name)}\n  now    {_excerpt(found, before, name)}")
    print(f"{len(differ)} of {len(found)} answers differ")
    return min(len(differ), 1)


def _excerpt(texts: dict[str, str], others: dict[str, str], name: str) -> str:
    """Return an answer from a little before the first difference on."""
    text, other = texts.get(name, ""), others.get(name, "")
    pairs = enumerate(zip(text, other, strict=False))
    first = next((at for at, (one, two) in pairs if one != two), min(len(text), len(other)))
    return repr(text[max(0, first - 60) : first + 140])


def _questions() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the name of every question, and what answers it."""
    yield from _examples()
    for seed in range(PROBLEMS):
        for kind in (walk_problem, standing_problem, partial_walk_problem):
            yield f"{kind.__name__} {seed}", partial(_solved, partial(kind, seed))
        yield f"nested {seed}", partial(_solved, partial(nested_problem, seed, Deviation.WEBSTER))
        for made in (karmada, kubeadmiral):
            load = partial(_loaded, made, seed)
            yield f"{made.__name__} {seed}", partial(_solved, load)
            for like in DISPENSERS:
                yield f"{made.__name__} {seed} like {like}", partial(_dispensed, load, like)
    for seed in range(6):
        for deviation in (Deviation.WEBSTER, Deviation.L1):
            batch = partial(middling, seed, deviation, workloads=12, clusters=4)
            yield f"batch {deviation.value} {seed}", partial(_solved, batch)


def _examples() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield commands on the examples."""
    for folder in sorted(path for path in EXAMPLES.iterdir() if path.is_dir()):
        problem = fairlead.load(folder)
        key = problem.workloads[0].key
        for command in (
            ["solve"],
            ["solve", "-o", "json"],
            ["solve", "-o", "wide"],
            ["solve", "-o", "yaml"],
            ["validate"],
            ["compare"],
            ["plan"],
            ["plan", "-o", "json"],
            ["simulate", "--lose", problem.clusters[0].name],
            ["why", key],
        ):
            yield f"examples {folder.name}: {' '.join(command)}", partial(_printed, folder, command)


def _printed(folder: Path, command: list[str]) -> str:
    """Return what a command prints of an example, and its exit code."""
    done = subprocess.run(
        [sys.executable, "-m", "fairlead", command[0], "-f", str(folder), *command[1:]],
        capture_output=True,
        text=True,
        check=False,
    )
    printed = done.stdout
    if "json" in command and printed:
        printed = json.dumps(_without_seconds(json.loads(printed)))
    text = f"{done.returncode}\n{printed}\n{done.stderr}".replace(f"{ROOT}/", "")
    return _SECONDS.sub("SECONDS", text)


def _loaded(made: Callable[[int], list[dict[str, Any]]], seed: int) -> Problem:
    """Return the problem of random manifests."""
    return fairlead.load(made(seed))


def _solved(problem: Callable[[], Problem]) -> str:
    """Return the answer of a problem, or why it is refused."""
    try:
        return _text(fairlead.solve(problem(), time_limit=SECONDS, workers=1))
    except fairlead.FairleadError as error:
        return f"{type(error).__name__}: {error}"


def _dispensed(problem: Callable[[], Problem], like: str) -> str:
    """Return what a dispenser does, or why it refuses."""
    try:
        return _text(fairlead.dispense(problem(), like=like))
    except fairlead.FairleadError as error:
        return f"{type(error).__name__}: {error}"


def _text(outcome: Outcome) -> str:
    """Return an outcome as text; of one that is not proven only the status."""
    document = outcome.to_dict()
    if outcome.status.value == "Feasible" and outcome.origin == "cp-sat":
        return "Feasible"
    return json.dumps(_without_seconds(document))


def _without_seconds(document: Any) -> Any:
    """Return a document without what tells how long something took."""
    if isinstance(document, dict):
        return {key: _without_seconds(each) for key, each in document.items() if key != "seconds"}
    if isinstance(document, list):
        return [_without_seconds(each) for each in document]
    return document


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
