"""Run the command line on mutated manifests and saved plans: no traceback, no hang, no heap of memory.

    .venv/bin/python tests/helpers/fuzz.py --inputs 20000 --plans 3000 --seed 1

Every case has a seed of its own, which is printed where something is wrong; ``--only SEED`` runs it again and
shows what it printed.
"""

import argparse
import contextlib
import io
import json
import multiprocessing
import os
import random
import re
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from mutating import mutated, scrambled, written
from places import EXAMPLES

LIMIT = 0.3
"""Seconds that a search may take."""
HANG = 5.0
"""Seconds of processor time that a case may take."""
PATIENCE = 60.0
"""Seconds after which a process that has started is given up, however busy the machine is."""
MEMORY = 1024
"""Mebibytes that a process may have used."""
CODES = (0, 2, 3, 4, 5)
USAGE = (
    "nothing to place",
    "holds no cluster",
    "no manifest found",
    "saved plan",
    "cannot tell weights apart",
    "no workload",
    "no cluster",
    "no policy",
    "cannot be changed one by one",
    "would not follow a patch",
    "a plan has at most",
)
"""What is told of the whole input, or of what is asked, rather than of a line."""
COMMANDS = (
    "validate",
    "validate --strict -o sarif",
    "validate -o github",
    "doctor",
    "solve",
    "solve --partial",
    "solve --fresh -o json",
    "solve --steady -o wide",
    "solve -o yaml",
    "solve -o patch",
    "solve -o status-patch",
    "solve -o csv -A",
    "solve -o html",
    "solve --group-by region",
    "solve --as-triggered",
    "solve --deviation l1 --tolerance deviation=1%",
    "solve --deviation minimax --partial",
    "plan",
    "plan -o moves",
    "plan -o json --budget 10%",
    "plan --make-room",
    "plan --drain CLUSTER",
    "plan --pin WORKLOAD --order either",
    "plan --max-moves-per-wave 2 --max-surge 1 --max-unavailable 25%",
    "compare",
    "compare --like karmada --like kubeadmiral --overcommit deduct",
    "bench --rounds 1",
    "why WORKLOAD",
    "why WORKLOAD CLUSTER",
    "why WORKLOAD -o json",
    "report -o -",
    "convert --to kubeadmiral",
    "convert --to karmada",
    "convert --to kubeadmiral --allow-loss",
    "convert --to karmada --allow-loss -o json",
    "simulate --sweep cluster",
    "simulate --sweep region",
    "simulate --drain CLUSTER",
    "simulate --lose CLUSTER -o json",
    "simulate --cordon CLUSTER --scale WORKLOAD=7",
    "simulate --restore CLUSTER --partial",
    "simulate --weight WORKLOAD:CLUSTER=3",
    "simulate --at max",
)
"""What is run: command, options; a cluster and a workload of the input stand where their names do."""
WITHOUT_SEARCH = ("validate", "doctor", "convert")
"""Commands that have no limit."""


class Case(NamedTuple):
    """What is run: a seed, and whether a saved plan is mutated instead of manifests."""

    seed: int
    plan: bool


class Result(NamedTuple):
    """What came of it: exit code, output, seconds of processor time, memory in mebibytes, file, lines."""

    code: int
    output: str
    seconds: float
    memory: int
    file: str
    lines: int


def examples() -> list[list[Any]]:
    """Return the documents of every example."""
    return [
        [
            each
            for file in sorted(folder.glob("*.yaml"))
            for each in yaml.safe_load_all(file.read_text())
            if each
        ]
        for folder in sorted(EXAMPLES.iterdir())
        if folder.is_dir()
        and any(folder.glob("*.yaml"))
        and sum(f.stat().st_size for f in folder.glob("*.yaml")) < 100_000
    ]


def prepared(case: Case, folder: Path, known: list[list[Any]]) -> tuple[list[str], Path]:
    """Write the files of a case; return the arguments, and the file that is mutated."""
    chance = random.Random(case.seed)
    file, saved = folder / "input.yaml", folder / "plan.json"
    documents = chance.choice(known)
    if not case.plan:
        file.write_text(written(documents, chance), encoding="utf-8")
        names = {kind: chance.choice(_names(documents, kind) or ["none"]) for kind in ("CLUSTER", "WORKLOAD")}
        command, *options = (_named(each, names) for each in chance.choice(COMMANDS).split())
        limit = [] if command in WITHOUT_SEARCH else ["--time-limit", str(LIMIT), "--workers", "1"]
        return [command, "-f", str(file), *options, *limit], file
    manifests = EXAMPLES / "safe-migration"
    if not saved.exists():
        told(["plan", "-f", str(manifests), "--save", str(saved), "--time-limit", "5", "--workers", "1"])
    target = folder / "mutated.json"
    document = mutated(json.loads(saved.read_text(encoding="utf-8")), chance)
    text = json.dumps(document, indent=1)
    target.write_text(scrambled(text, chance) if chance.random() < 0.3 else text, encoding="utf-8")
    option = chance.choice(("--resume", "--resume", "--compare"))
    return [
        "plan",
        "-f",
        str(manifests),
        option,
        str(target),
        "--time-limit",
        str(LIMIT),
        "--workers",
        "1",
    ], target


def _names(documents: list[Any], kind: str) -> list[str]:
    """Return the names of the clusters of an example, or of all else that is in a namespace."""
    return [
        each["metadata"]["name"]
        for each in documents
        if ("Cluster" in each["kind"] if kind == "CLUSTER" else "namespace" in each.get("metadata", ()))
    ]


def _named(argument: str, names: dict[str, str]) -> str:
    """Return an argument with names in the place of what stands for them."""
    for kind, name in names.items():
        argument = argument.replace(kind, name)
    return argument


def told(arguments: list[str]) -> tuple[int, str]:
    """Run the command line in this process; return the exit code and all that it prints."""
    from fairlead.cli.app import main

    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = main(arguments)
    return code, output.getvalue()


def work(line: Connection, folder: str) -> None:
    """Run the cases that come in, one after the other."""
    os.environ["FAIRLEAD_DEBUG"] = "1"
    known = examples()
    told(["version"])
    line.send(None)
    while True:
        case = line.recv()
        arguments, file = prepared(case, Path(folder), known)
        started = time.process_time()
        code, output = told(arguments)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        lines = len(file.read_text(encoding="utf-8").splitlines())
        line.send(Result(code, output, time.process_time() - started, memory, str(file), lines))


def faults(result: Result) -> list[str]:
    """Return what is wrong with a result."""
    found = []
    if result.code not in CODES:
        found.append(f"exit code {result.code}")
    if "Traceback" in result.output and result.code == 1:
        found.append("traceback")
    if result.seconds > HANG:
        found.append(f"{result.seconds:.1f} s")
    if result.memory > MEMORY:
        found.append(f"{result.memory} MiB")
    if result.code == 2:
        found.extend(misplaced(result))
    if "\x1b" in result.output or "\u202e" in result.output:
        found.append("control characters")
    return found


def misplaced(result: Result) -> Iterator[str]:
    """Yield what is wrong with the places that a refusal names.

    Every mistake that is counted at the end is told with the file and a line of it. The line behind the last
    one is named where a text ends too early.
    """
    name = re.escape(result.file)
    # The last ones are what a CI reads: `validate -o sarif` and `validate -o github`.
    places = rf"{name}:(\d+)|\"startLine\": (\d+)|{name},line=(\d+)"
    lines = [int("".join(found)) for found in re.findall(places, result.output)]
    told = set(re.findall(rf"^{name}:\d+: \S.*", result.output, re.MULTILINE))
    counted = re.search(r"^(\d+) mistakes? in ", result.output, re.MULTILINE)
    if not lines:
        if not any(usage in result.output for usage in USAGE):
            yield "refused without file and line"
        return
    if any(not 1 <= line <= result.lines + 1 for line in lines):
        yield f"names a line that the file does not have ({result.lines} lines)"
    if counted and len(told) < int(counted[1]):
        yield f"{counted[1]} mistakes counted, {len(told)} told with file and line"


class Runner:
    """A process that runs cases, and is replaced where it does not answer."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(theirs, self._folder), daemon=True)
        self._process.start()
        # Who has the other end open as well never hears that the process is gone.
        theirs.close()
        self._line.recv()

    def run(self, case: Case) -> Result:
        """Run one case."""
        self._line.send(case)
        try:
            answered = self._line.poll(PATIENCE)
            result: Result = self._line.recv() if answered else Result(-1, "", PATIENCE, 0, "", 0)
        except EOFError:
            result = Result(-2, "the process is gone", 0.0, 0, "", 0)
        if result.code < 0 or result.memory > MEMORY:
            self.end()
            self._start()
        return result

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()


def main() -> int:
    """Run all cases; return 1 where anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--plans", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", type=int, help="seed of a single case")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if asked.only is not None:
            for plan in (False, True):
                arguments, file = prepared(Case(asked.only, plan), Path(folder), examples())
                print(
                    f"$ fairlead {' '.join(arguments)}\n{file.read_text(encoding='utf-8')}\n",
                    *told(arguments),
                )
            return 0
        print(f"seed {asked.seed}: {asked.inputs} inputs and {asked.plans} saved plans", flush=True)
        cases = [Case(asked.seed * 1_000_000 + number, plan=False) for number in range(asked.inputs)]
        cases += [Case(asked.seed * 1_000_000 + number, plan=True) for number in range(asked.plans)]
        return report(cases, folder)


def report(cases: list[Case], folder: str) -> int:
    """Run cases and print what is wrong; return 1 where anything is."""
    codes: Counter[int] = Counter()
    wrong = slowest = 0.0
    runner = Runner(folder)
    for number, case in enumerate(cases, start=1):
        result = runner.run(case)
        codes[result.code] += 1
        slowest = max(slowest, result.seconds)
        for fault in faults(result):
            wrong += 1
            last = result.output.strip().splitlines()[-1:] or [""]
            print(f"case {case.seed}{' (plan)' * case.plan}: {fault}: {last[0][:300]}", flush=True)
        if number % 1000 == 0:
            print(f"{number} cases, exit codes {dict(sorted(codes.items()))}", flush=True)
    runner.end()
    print(
        f"{len(cases)} cases, exit codes {dict(sorted(codes.items()))}, "
        f"slowest {slowest:.1f} s, {wrong:g} faults"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
