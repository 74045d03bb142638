"""What weeks came to, as tables: one row for every contender, ranges over the seeds."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType

from fairlead.solver.script.played import GOOD_ENOUGH, Handled, HandledEvent, quantile

CONTENDERS: Mapping[str, str] = MappingProxyType(
    {
        "fairlead": "fairlead",
        "fairlead-plan": "fairlead, a plan every night",
        "karmada": "Karmada",
        "karmada-deduct": "Karmada, deducting",
        "kubeadmiral": "KubeAdmiral",
        "reference": "reference",
    }
)
"""Names of the schedulers, and what they are called in tables."""
OURS = ("fairlead", "fairlead-plan")
OPENB = "openb"
"""The size that is the trace's."""
EVENTS: Mapping[str, int] = MappingProxyType({"60x12": 500, "300x30": 1000, "1000x50": 2000, OPENB: 500})
"""Events of a week by size, those that have a place in the document."""
SECONDS = 10.0
"""What fairlead may take for an event, and for a plan: what `solve` takes at most unless told otherwise."""
_NOWHERE = re.compile(r" \(<dict>[^()]*\)")
"""Where a manifest was written that was made here."""


@dataclass(frozen=True, slots=True)
class Run:
    """One week as one contender handled it.

    Parameters
    ----------
    size
        Workloads x clusters.
    seed
        Of the week.
    handled
        What it came to.
    cpu
        Processor seconds of everything, judging included.
    """

    size: str
    seed: int
    handled: Handled
    cpu: float


def cpu_of(handled: Handled) -> tuple[float, ...]:
    """Return processor seconds of answers, those of plans left out, the shortest first."""
    return tuple(sorted(step.cpu for step in handled.steps if step.due and not step.planning))


Measure = tuple[str, Callable[[Handled], float | None], str]
"""Heading, value (None where there is none) and format."""

MEASURES: tuple[Measure, ...] = (
    ("pending replica-hours", lambda one: one.pending_hours, ",.0f"),
    ("of them above capacity", lambda one: one.waiting_hours, ",.0f"),
    ("replica-hours against rules", lambda one: one.broken_hours, ",.0f"),
    ("moved", lambda one: one.moved, ",.0f"),
    ("evicted", lambda one: one.forced, ",.0f"),
    ("replicas off the weights", lambda one: one.off, ".1f"),
    ("clusters (Aggregated)", lambda one: one.clusters, ".2f"),
    ("s per event: median", lambda one: quantile(cpu_of(one), 0.5), ".3f"),
    ("95th", lambda one: quantile(cpu_of(one), 0.95), ".3f"),
    ("worst", lambda one: quantile(cpu_of(one), 1), ".2f"),
    ("proven, or within 1 %", lambda one: one.proven, ".1%"),
    ("above balance", lambda one: one.proven_above, ".1%"),
)


def to_markdown(runs: Sequence[Run]) -> str:
    """Return two tables: the measures, and how full clusters were by resource (peak, 95th percentile)."""
    parts = [_table(["", *(heading for heading, _, _ in MEASURES)], list(_rows(runs)))]
    resources = sorted({name for run in runs for name in run.handled.use(1)})
    full = [
        [CONTENDERS[name], *(_fullness(inside, resource) for resource in resources)]
        for name, inside in _by_contender(runs)
    ]
    parts.append(_table(["fullest cluster at any time; 95 % of cluster-hours are below", *resources], full))
    kinds = sorted({kind for run in runs for kind in run.handled.broken_by_rule})
    rules = [
        [
            CONTENDERS[name],
            *(range_of([one.broken_by_rule.get(kind, 0) for one in inside], ",.0f") for kind in kinds),
        ]
        for name, inside in _by_contender(runs)
    ]
    if kinds:
        parts.append(_table(["replica-hours against rules, by kind", *kinds], rules))
    return "\n\n".join(parts)


def _rows(runs: Sequence[Run]) -> Iterator[list[str]]:
    """Yield the measures of every contender."""
    for name, inside in _by_contender(runs):
        yield [
            CONTENDERS[name],
            *(range_of([value(one) for one in inside], form) for _, value, form in MEASURES),
        ]


def _by_contender(runs: Sequence[Run]) -> Iterator[tuple[str, list[Handled]]]:
    """Yield what every contender made of all seeds."""
    for name in CONTENDERS:
        inside = [run.handled for run in runs if run.handled.scheduler == name]
        if inside:
            yield name, inside


def by_seed(runs: Sequence[Run]) -> str:
    """Return a table of every week by itself: what is pending and against rules, and what is not proven."""
    seeds = sorted({run.seed for run in runs})
    found = {(run.handled.scheduler, run.seed): run.handled for run in runs}

    def row(name: str, told: Callable[[Handled], str]) -> list[str]:
        return [told(found[name, seed]) if (name, seed) in found else "-" for seed in seeds]

    names = [name for name, _ in _by_contender(runs)]
    weeks = [[f"{CONTENDERS[name]}: pending; against rules", *row(name, _week)] for name in names]
    answers = [
        [f"{CONTENDERS[name]}: answers neither proven nor within 1 %", *row(name, _unproven)]
        for name in names
        if name in OURS
    ]
    return _table(["week by week", *(f"seed {seed}" for seed in seeds)], [*weeks, *answers])


def _week(handled: Handled) -> str:
    """Return the replica-hours that are pending, and against rules."""
    return f"{handled.pending_hours:,.0f}; {handled.broken_hours:,.0f}"


def _unproven(handled: Handled) -> str:
    """Return how many answers are neither proven nor nearly the best."""
    gaps = [step.gap for step in handled.steps if step.gap is not None]
    return f"{sum(gap > GOOD_ENOUGH for gap in gaps)} of {len(gaps)}"


def _fullness(handled: Sequence[Handled], resource: str) -> str:
    """Return peak and 95th percentile."""
    peak = range_of([one.use(1).get(resource) for one in handled], ".0%")
    return f"{peak}; {range_of([one.use(0.95).get(resource) for one in handled], '.0%')}"


def range_of(values: Sequence[float | None], form: str) -> str:
    """Return the least and the greatest value; one where they look the same, a dash where there is none."""
    known = [value for value in values if value is not None]
    if not known:
        return "-"
    least, most = format(min(known), form), format(max(known), form)
    return least if least == most else f"{least} - {most}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def missed(run: Run, runs: Sequence[Run]) -> Iterator[str]:
    """Say which bars a run of fairlead misses."""
    one = run.handled
    if one.scheduler not in OURS:
        return
    where = f"{run.size} seed {run.seed} {one.scheduler}"
    if one.disturbed:
        yield f"{where}: {one.disturbed} workloads stand otherwise without being due"
    if one.proven is not None and one.proven < 1:
        yield f"{where}: {one.proven:.1%} of the answers are proven or within 1 %"
    if (late := quantile(cpu_of(one), 0.95)) >= 1:
        yield f"{where}: 95th percentile {late:.2f} s"
    for other in _others(run, runs):
        for what, ours, theirs in (
            ("pending", one.pending_hours, other.pending_hours),
            ("against rules", one.broken_hours, other.broken_hours),
        ):
            if ours > theirs:
                name = CONTENDERS[other.scheduler]
                yield f"{where}: {ours:,.0f} replica-hours {what}, {name} {theirs:,.0f}"


def behind(runs: Sequence[Run]) -> Iterator[str]:
    """Tell when fairlead has more replicas pending or against rules than a greedy scheduler, and why.

    As items of a Markdown list: events after which the same numbers stand are one, and so are weeks that are
    the same with plans and without.
    """
    found: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for run in runs:
        if run.handled.scheduler in OURS and (told := tuple(_spans(run, list(_others(run, runs))))):
            found.setdefault((run.seed, told), []).append(CONTENDERS[run.handled.scheduler])
    for (seed, told), names in found.items():
        yield f"* Seed {seed}, {'; '.join(names)}:"
        yield from (f"    - {text}" for text in told)


def _spans(run: Run, others: Sequence[Handled]) -> Iterator[str]:
    """Yield since when, for how long and why a run has more pending or against rules than others."""
    moments = zip(run.handled.steps, *(other.steps for other in others), strict=True)

    def key(steps: tuple[HandledEvent, ...]) -> tuple[Mapping[str, int], Mapping[str, int], tuple[str, ...]]:
        return steps[0].pending, steps[0].state.broken, _fewer(steps, others)

    for (_, _, fewer), group in groupby(moments, key):
        inside = [steps[0] for steps in group]
        if fewer:
            hours = sum(step.hours for step in inside)
            yield f"{_told(inside[0], hours)}; {', '.join(fewer)}.{_why(inside[0])}"


def _fewer(steps: Sequence[HandledEvent], others: Sequence[Handled]) -> tuple[str, ...]:
    """Return who has fewer pending or against rules than the first one, and how many."""
    ours = _numbers(steps[0])
    theirs = ((other, _numbers(step)) for step, other in zip(steps[1:], others, strict=True))
    return tuple(
        f"{CONTENDERS[other.scheduler]} {pending} and {broken}"
        for other, (pending, broken) in theirs
        if pending < ours[0] or broken < ours[1]
    )


def _told(step: HandledEvent, hours: float) -> str:
    """Return what stands since when, and for how long."""
    pending, broken = _numbers(step)
    return f"{step.at:%a %H:%M}, {step.name}: for {hours:.1f} h {pending} pending and {broken} against rules"


def _why(step: HandledEvent) -> str:
    """Return why replicas are pending, and which rules are broken."""
    found = [_NOWHERE.sub("", step.reasons.get(key, f"pods of {key} find no room")) for key in step.pending]
    found += [f"{kind} of {', '.join(step.state.broken)}" for kind in step.state.rules]
    return f" {'; '.join(found)}." if found else ""


def _numbers(step: HandledEvent) -> tuple[int, int]:
    """Return the replicas that do not run, and those against rules."""
    return step.missing + step.waiting, step.broken


def _others(run: Run, runs: Sequence[Run]) -> Iterator[Handled]:
    """Yield what greedy contenders made of the same week."""
    for other in runs:
        if (other.size, other.seed) == (run.size, run.seed) and other.handled.scheduler not in OURS:
            yield other.handled
