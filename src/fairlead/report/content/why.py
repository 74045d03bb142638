"""Why a workload stands where it stands: what every cluster would cost, and which bounds bind."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from fairlead.models.outcome import Status
from fairlead.models.rules import Candidates
from fairlead.models.source import Source
from fairlead.models.words import counted, format_number, listed
from fairlead.report.blocks import (
    NOTHING,
    WIDE_SHOWS,
    Cell,
    Line,
    Row,
    Text,
    Tone,
    cells,
    columns,
    first_lines,
    table,
    texts,
)
from fairlead.report.content.outcome import SHOWN, explanation, toned_verdict, verdict
from fairlead.report.content.workloads import IDLE_SHOWN
from fairlead.report.terminal import WRAPPED_AT_LEAST, Look, room_for_last
from fairlead.solver.why.answer import ClusterWhy, Gain, Possible, Shift, Step, Why

NAMED = 3
"""Shifts that a line names before it counts the rest."""
LINES_SHOWN = 10
"""Lines of a kind that are shown below the table before the rest is counted."""
SHOWS = "... and {}; -o wide shows them"

COLUMNS = columns("Cluster", ">Replicas", "~One more", "~One less", "~Reason")
_TONES: Mapping[Possible, Tone] = MappingProxyType(
    {Possible.YES: "", Possible.NO: "dim", Possible.UNKNOWN: "notice"}
)


def summary(why: Why) -> list[str]:
    """Return a short, readable rendering, a line each."""
    lines = [heading(why), *(line for each in why.clusters[:SHOWN] for line in cluster_lines(each))]
    rest = len(why.clusters) - SHOWN
    lines += [f"... and {counted(rest, 'more cluster')}"] if rest > 0 else []
    return [*lines, *_below(why)]


def told_clusters(why: Why) -> list[list[Line]]:
    """Return the same with a table of the clusters, eligible ones first, as pages show it."""
    rows = (
        (
            *cells(each.decision.cluster, each.decision.replicas),
            *(
                NOTHING if step is None else Cell(told(step, each.decision.cluster), _TONES[step.possible])
                for step in (each.more, each.less)
            ),
            Cell(each.decision.reason),
        )
        for each in sorted(why.clusters, key=lambda each: not each.candidate)
    )
    return [[Text(heading(why)), table(COLUMNS, rows)], texts(_below(why))]


def terminal(why: Why, look: Look) -> list[list[Line]]:
    """Return everything that a terminal shows; a wide one every cluster and every line, and breaks none."""
    if not look.headers:
        plain = [tuple(Cell(cell.text) for cell in _row(each)) for each in why.clusters]
        return [[table(COLUMNS, plain)]]
    shown = look.few(LINES_SHOWN)
    body = _all(why, look) if why.asked is None else _asked(why.clusters[0])
    excluded = first_lines(excluded_lines(why), shown, "line", SHOWS)
    return [
        [Text(heading(why), "bold"), *body],
        texts(excluded),
        texts(gain_lines(why, shown)),
        [toned_verdict(why.outcome), *texts(explanation(why.outcome))] if _needs_verdict(why) else [],
    ]


def _asked(each: ClusterWhy) -> list[Line]:
    excluded = f"{each.decision.cluster} is not eligible: it {each.decision.reason}"
    return texts([*([] if each.candidate else [excluded]), *cluster_lines(each)])


def _all(why: Why, look: Look) -> list[Line]:
    """Return the table of the candidates, and below it where a step is not possible.

    Where the terminal is too narrow for it, sentences say the same.
    """
    candidates = [each for each in why.clusters if each.candidate]
    idle = [each for each in candidates if not each.decision.replicas]
    few = look.wide or len(idle) <= IDLE_SHOWN
    shown = candidates if few else [each for each in candidates if each.decision.replicas]
    hidden = f"... and {counted(len(idle), 'eligible cluster')} without replicas; -o wide shows them"
    rest = [] if few else [Text(hidden)]
    lines = _table(shown, look)
    if lines is None:
        return [*texts(line for each in shown for line in cluster_lines(each)), *rest]
    blocked = first_lines(blocked_lines(why), look.few(LINES_SHOWN), "line", SHOWS)
    return [*lines, *rest, *texts(blocked)]


def _table(clusters: Sequence[ClusterWhy], look: Look) -> list[Line] | None:
    """Return the table; None where the terminal is too narrow for it."""
    if not clusters:
        return []
    head, rows = COLUMNS, [_row(each) for each in clusters]
    if not any(each.more for each in clusters):
        head, rows = (*head[:2], head[-1]), [(*row[:2], row[-1]) for row in rows]
    if look.limit is not None and room_for_last(head, rows, look.limit) < WRAPPED_AT_LEAST:
        return None
    return [table(head, rows)]


def _row(each: ClusterWhy) -> Row:
    decision = each.decision
    steps = (each.more, each.less if decision.replicas else None)
    return (
        Cell(decision.cluster),
        Cell(str(decision.replicas), "" if decision.replicas else "dim"),
        *(NOTHING if step is None else Cell(short(step), _TONES[step.possible]) for step in steps),
        Cell(decision.reason),
    )


def heading(why: Why) -> str:
    """Return the subject of the explanation, in one line."""
    workload = why.workload
    parts = [f"{workload.key}: {counted(workload.replicas, 'replica')}"]
    missing = why.outcome.unplaced(workload)
    parts += [f"{missing} unplaced"] if missing else []
    parts += [workload.policy] if workload.policy else []
    parts += [f"affinity group {workload.group}"] if workload.group is not None else []
    return ", ".join(parts)


def short(step: Step) -> str:
    """Return the cost of a step, for a cell of a table."""
    match step.possible:
        case Possible.NO:
            return "not possible"
        case Possible.UNKNOWN:
            return "unknown"
        case Possible.YES:
            return _cost(step)


def told(step: Step, cluster: str) -> str:
    """Return the cost of a step on a cluster and the other changes with it."""
    match step.possible:
        case Possible.NO:
            return f"not possible: {with_source(step.reason, step.source)}"
        case Possible.UNKNOWN:
            return step.reason
        case Possible.YES:
            values = ""
            if step.before is not None and step.after is not None:
                values = f" (from {format_number(step.before)} to {format_number(step.after)})"
            moved = shifted(step.shifts, cluster)
            return f"{_cost(step)}{values}{'; ' if moved else ''}{moved}"


def _cost(step: Step) -> str:
    if step.level is None:
        return "no cost" if step.proven else "no known cost"
    bound = "" if step.proven else "at most "
    return f"{step.level} {bound}{signed(step.change or 0)}"


def shifted(shifts: Sequence[Shift], cluster: str) -> str:
    """Return the replicas that stand elsewhere; those of the workload that is explained come first."""
    own = shifts[0].workload if shifts else ""
    parts = (_moved(shift, own, cluster) for shift in shifts)
    return "; ".join(first_lines(parts, NAMED, "change", "and {}"))


def _moved(shift: Shift, own: str, cluster: str) -> str:
    """Return one shift, that of another workload with its name."""
    front = "" if shift.workload == own else f"{shift.workload} "
    if shift.start is None:
        return f"{front}gets {shift.replicas} more on {shift.end}"
    if shift.end is None:
        return f"{front}loses {shift.replicas} on {shift.start}"
    if not front and shift.end == cluster:
        return f"{shift.replicas} from {shift.start}"
    if not front and shift.start == cluster:
        return f"{shift.replicas} to {shift.end}"
    return f"{front}moves {shift.replicas} from {shift.start} to {shift.end}"


def gain_sentence(gain: Gain) -> str:
    """Return the improvement where a bound is moved by one, as a sentence."""
    least = "" if gain.proven else "at most "
    numbers = f"from {format_number(gain.before)} to {least}{format_number(gain.after)}"
    return with_source(f"{gain.action} lowers {gain.level} {numbers}", gain.source)


def gain_lines(why: Why, shown: int | None = None) -> Iterator[str]:
    """Yield which bounds improve the answer, the best first.

    `shown`: how many bounds are named before the rest is counted; None names all.
    """
    if why.outcome.placement is None or not why.workload.replicas:
        return
    if why.gains:
        yield "Changing one of these by one would improve the placement:"
        gains = (f"  {gain_sentence(gain)}" for gain in why.gains)
        yield from first_lines(gains, shown, "", f"  {WIDE_SHOWS}")
    elif why.outcome.status is Status.OPTIMAL and not why.untried:
        yield "Changing any single limit by one would not improve the placement."
    if why.untried and why.outcome.status is Status.OPTIMAL:
        yield f"{counted(why.untried, 'limit')} could not be tried in time."
    elif why.untried:
        yield "No limits were tried: the placement itself is not proven best."


def excluded_lines(why: Why) -> Iterator[str]:
    """Yield Karmada's sentence and which clusters it means; nothing where all clusters are candidates."""
    if not why.available:
        return
    yield why.available
    rule = why.workload.rule(Candidates) or Candidates(())
    names: dict[tuple[str, Source | None], list[str]] = {}
    for cluster, exclusion in sorted(rule.excluded.items()):
        if why.asked in (None, cluster):
            names.setdefault((exclusion.reason, exclusion.source), []).append(cluster)
    for (reason, source), clusters in names.items():
        yield f"  {listed(clusters, fewest=1)}: {with_source(reason, source)}"


def blocked_lines(why: Why) -> Iterator[str]:
    """Yield where one replica more or less is not possible or not known, clusters of one reason together."""
    for name in ("more", "less"):
        names: dict[tuple[str, str, Source | None], list[str]] = {}
        for each in why.clusters:
            step = each.more if name == "more" else each.less
            trivial = name == "less" and not each.decision.replicas
            if step is not None and step.possible is not Possible.YES and not trivial:
                verb = "is not possible" if step.possible is Possible.NO else "is not known"
                names.setdefault((verb, step.reason, step.source), []).append(each.decision.cluster)
        for (verb, reason, source), clusters in names.items():
            yield f"one {name} {verb} on {listed(clusters, fewest=1)}: {with_source(reason, source)}"


def cluster_lines(each: ClusterWhy) -> Iterator[str]:
    """Yield the lines on one cluster, one for every step."""
    decision = each.decision
    if each.candidate and each.more is None:
        yield f"{decision.cluster}: {decision.reason}"
    elif each.candidate:
        yield f"{decision.cluster} holds {counted(decision.replicas, 'replica')}: {decision.reason}"
    for name, step in (("one more", each.more), ("one less", each.less)):
        if step is not None:
            yield f"  {name}: {told(step, decision.cluster)}"


def signed(value: int | Fraction) -> str:
    """Return a number with its sign."""
    return f"+{format_number(value)}" if value > 0 else format_number(value)


def with_source(text: str, source: Source | None) -> str:
    """Return a text with file and line where they are known."""
    return f"{text} ({source})" if source is not None and source.line else text


def _below(why: Why) -> list[str]:
    """Return the lines below the clusters; the verdict where something is unplaced or not proven best."""
    found = [verdict(why.outcome), *explanation(why.outcome)] if _needs_verdict(why) else []
    return [*excluded_lines(why), *gain_lines(why, SHOWN), *found]


def _needs_verdict(why: Why) -> bool:
    """Tell whether the answer that is explained is not the best of placements in full."""
    return why.outcome.status is not Status.OPTIMAL or bool(why.outcome.shortfalls)
