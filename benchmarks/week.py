"""A week of a fleet, handled in turn by fairlead and by greedy schedulers: what each comes to.

    python benchmarks/week.py --sizes 60x12 --seeds 0-4
    python benchmarks/week.py --sizes 300x30 --seeds 0-1 --patience 4 --write-docs

On a busy machine ``--patience`` gives every answer so many times its seconds; processor seconds are judged
anyway. The exit code is 1 where a bar is missed: an answer of fairlead that is neither proven nor within 1 %,
a 95th percentile of a second or more, a workload that moves without being due, or more replica-hours pending
or against rules than a greedy scheduler.
"""

import argparse
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import week_kubeadmiral
from fleet_manifests import documents
from fleet_parts import Member
from running_fleets import seeds_in
from week_docs import write_docs
from week_openb import openb_week
from week_page import write_page
from week_script import Week, week
from week_tables import CONTENDERS, EVENTS, OPENB, SECONDS, Run, behind, missed, to_markdown

import fairlead
from fairlead.models.problem import Problem
from fairlead.solver.script.events import ClosedClusters, OtherManifests, Script, ScriptChange, read_script
from fairlead.solver.script.moments import ScriptMoment, moments
from fairlead.solver.script.play import ScriptRun
from fairlead.solver.script.schedulers import SCHEDULERS, SolveSettings

KUBEADMIRAL = "kubeadmiral"


@dataclass(frozen=True, slots=True)
class Asked:
    """One run.

    Parameters
    ----------
    size
        Workloads x clusters, or `OPENB`.
    events, seed
        Of the week.
    contender
        Who handles it.
    patience
        Factor on all time limits.
    limit
        Seconds that an answer, or a plan, may take, before that.
    """

    size: str
    events: int
    seed: int
    contender: str
    patience: float
    limit: float = SECONDS


def run(asked: Asked) -> Run:
    """Let one contender handle one week."""
    problem, script, seen = _read(asked)
    limit = asked.patience * asked.limit
    settings = SolveSettings({"time_limit": limit, "workers": 1}, limit)
    course = ScriptRun.of(SCHEDULERS[asked.contender], next(seen).fleet if seen else problem, settings)
    cpu = time.process_time()
    for truth in moments(problem, script):
        course.handle(next(seen) if seen else truth, truth)
    cpu = time.process_time() - cpu
    return Run(asked.size, asked.seed, course.handled(), cpu)


def _read(asked: Asked) -> tuple[Problem, Script, Iterator[ScriptMoment] | None]:
    """Return fleet and script; for KubeAdmiral the week as its own manifests tell it, the beginning first."""
    if asked.size == OPENB:
        manifests, written = openb_week(asked.events)
        problem = fairlead.load(manifests)
        return problem, read_script(written, manifests, fairlead.load, problem), None
    workloads, clusters = map(int, asked.size.split("x"))
    made = week(workloads, clusters, asked.events, asked.seed)
    manifests = documents(made.fleet)
    problem = fairlead.load(manifests)
    script = read_script(made.script, manifests, fairlead.load, problem)
    return problem, script, _federated(made, script) if asked.contender == KUBEADMIRAL else None


def _federated(made: Week, script: Script) -> Iterator[ScriptMoment]:
    """Yield the fleet before the week, then after every event, as KubeAdmiral sees it."""
    names: Mapping[str, Member] = {
        member.name: member for fleet in (made.fleet, *made.fleets.values()) for member in fleet.members
    }

    def load(position: int | None) -> Problem:
        fleet = made.fleet if position is None else made.fleets[position]
        return fairlead.load(week_kubeadmiral.documents(fleet, names))

    def told(step: ScriptChange, position: int) -> Iterator[ScriptChange]:
        match step:
            case OtherManifests():
                yield OtherManifests(load(position))
            case ClosedClusters(turn, name, "region"):  # KubeAdmiral's clusters tell none
                yield from (
                    ClosedClusters(turn, one.name) for one in made.fleet.members if one.region == name
                )
            case _:
                yield step

    events = tuple(
        replace(event, steps=tuple(one for step in event.steps for one in told(step, at)))
        for at, event in enumerate(script.events)
    )
    problem = load(None)
    first = next(moments(problem, replace(script, events=(replace(events[0], steps=()),))))
    yield first
    yield from moments(problem, replace(script, events=events))


def main() -> int:
    """Run what is asked for, print it, and write it down; the exit code is 1 where a bar is missed."""
    arguments = _arguments()
    asked = [
        Asked(size, arguments.events or EVENTS[size], seed, contender, arguments.patience, arguments.limit)
        for size in arguments.sizes.split(",")
        for seed in (seeds_in(arguments.seeds) if size != OPENB else [0])
        for contender in _contenders(arguments.contenders, size)
    ]
    runs = list(_all(asked, arguments.processes, arguments.keep))
    for size in dict.fromkeys(one.size for one in asked):
        inside = [one for one in runs if one.size == size]
        print(f"\n{size}\n\n{to_markdown(inside)}")
        for line in behind(inside):
            print(line)
    wrong = [line for one in runs for line in missed(one, runs)]
    print(f"\n{len(wrong)} missed" if wrong else "\nall kept")
    for line in wrong:
        print(f"  {line}")
    if arguments.write_docs:
        write_docs(runs, arguments.patience, arguments.limit)
    if arguments.page is not None:
        write_page(runs, arguments.page)
    return 1 if wrong else 0


def _contenders(named: str, size: str) -> list[str]:
    """Return the contenders of a size; the trace has no policies of KubeAdmiral."""
    return [name for name in named.split(",") if size != OPENB or name != KUBEADMIRAL]


def _all(asked: Sequence[Asked], processes: int, keep: Path | None) -> Iterator[Run]:
    """Run everything, each in a process of its own, save for what was kept before."""
    do: Callable[[Asked], Run] = partial(_kept, keep=keep)
    with ProcessPoolExecutor(processes, get_context("spawn"), max_tasks_per_child=1) as pool:
        for one, found in zip(asked, pool.map(do, asked), strict=True):
            print(f"{one.size} seed {one.seed} {one.contender}: {found.cpu:.0f} cpu seconds", file=sys.stderr)
            yield found


def _kept(asked: Asked, keep: Path | None) -> Run:
    """Return a run that was kept, or run it and keep it."""
    if keep is None:
        return run(asked)
    name = f"{asked.size}-{asked.events}-{asked.seed}-{asked.contender}-{asked.limit:g}.pickle"
    file = keep / name
    if file.exists():
        found: Run = pickle.loads(file.read_bytes())  # noqa: S301 - written below
        return found
    keep.mkdir(parents=True, exist_ok=True)
    found = run(asked)
    file.write_bytes(pickle.dumps(found))
    return found


def _arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", default="60x12", help=f"workloads x clusters, or {OPENB}")
    parser.add_argument("--events", type=int, help="of a week; default: by size")
    parser.add_argument("--seeds", default="0", help="such as 3, 1,4 or 0-4")
    parser.add_argument("--contenders", default=",".join(CONTENDERS), help=f"of {','.join(CONTENDERS)}")
    parser.add_argument("--patience", type=float, default=1.0, metavar="FACTOR", help="on a busy machine")
    parser.add_argument(
        "--limit", type=float, default=SECONDS, metavar="SECONDS", help="of an answer, and of a plan"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--page", type=Path, metavar="DIR", help="write an HTML page and curves into DIR")
    parser.add_argument(
        "--write-docs", action="store_true", help="write docs/week.md and the README's sentence"
    )
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep every run there, and go on with those")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
