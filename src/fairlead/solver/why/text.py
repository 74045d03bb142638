"""Why a workload stands where it stands, in words: what every rendering has in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from html import escape

from fairlead.models.outcome import Status
from fairlead.models.outcome_text import SHOWN, explanation, format_number, verdict
from fairlead.models.rules import Candidates
from fairlead.models.source import Source
from fairlead.models.words import counted
from fairlead.solver.why.answer import ClusterWhy, Gain, Possible, Shift, Step, Why

NAMED = 3
"""Clusters and shifts that a line names before it counts the rest."""


def heading(why: Why) -> str:
    """Return what is explained, in one line."""
    workload = why.workload
    parts = [f"{workload.key}: {counted(workload.replicas, 'replica')}"]
    parts += [workload.policy] if workload.policy else []
    parts += [f"affinity group {workload.group}"] if workload.group is not None else []
    return ", ".join(parts)


def short(step: Step) -> str:
    """Return what a step costs, for a cell of a table."""
    match step.possible:
        case Possible.NO:
            return "not possible"
        case Possible.UNKNOWN:
            return "unknown"
        case Possible.YES:
            return _cost(step)


def sentence(name: str, step: Step, cluster: str) -> str:
    """Return what a step costs and what else changes.

    Parameters
    ----------
    name
        What the step is called, such as ``one more``.
    step
        The step.
    cluster
        Cluster of the step.
    """
    match step.possible:
        case Possible.NO:
            return f"{name}: not possible: {with_source(step.reason, step.source)}"
        case Possible.UNKNOWN:
            return f"{name}: {step.reason}"
        case Possible.YES:
            values = ""
            if step.before is not None and step.after is not None:
                values = f" (from {format_number(step.before)} to {format_number(step.after)})"
            moved = shifted(step.shifts, cluster)
            return f"{name}: {_cost(step)}{values}{'; ' if moved else ''}{moved}"


def _cost(step: Step) -> str:
    """Return the first level that gets worse and by how much."""
    if step.level is None:
        return "costs nothing" if step.proven else "costs nothing known"
    bound = "" if step.proven else "at most "
    return f"{step.level} {bound}{signed(step.change or 0)}"


def shifted(shifts: Sequence[Shift], cluster: str) -> str:
    """Return what stands elsewhere; those of the workload that is explained come first."""
    own = shifts[0].workload if shifts else ""
    parts = [_moved(shift, own, cluster) for shift in shifts]
    rest = len(parts) - NAMED
    return "; ".join([*parts[:NAMED], f"and {counted(rest, 'more change')}"] if rest > 0 else parts)


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
    """Return what a bound that is moved by one improves."""
    least = "" if gain.proven else "at most "
    numbers = f"from {format_number(gain.before)} to {least}{format_number(gain.after)}"
    return with_source(f"{gain.action} lowers {gain.level} {numbers}", gain.source)


def gain_lines(why: Why, shown: int | None = None) -> Iterator[str]:
    """Yield which bounds improve the answer, the best first.

    Parameters
    ----------
    why
        What is explained.
    shown
        How many bounds are named before the rest is counted; None names all.
    """
    if why.outcome.placement is None or not why.workload.replicas:
        return
    if why.gains:
        yield "Moved by one, these bounds improve it:"
        kept = why.gains if shown is None else why.gains[:shown]
        yield from (f"  {gain_sentence(gain)}" for gain in kept)
        if len(kept) < len(why.gains):
            yield f"  ... and {len(why.gains) - len(kept)} more; -o wide shows them all"
    elif why.outcome.status is Status.OPTIMAL and not why.untried:
        yield "No single bound improves it when moved by one."
    if why.untried and why.outcome.status is Status.OPTIMAL:
        yield f"{counted(why.untried, 'bound')} could not be tried in time."
    elif why.untried:
        yield "No bound was tried: the placement itself is not proven best."


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
        yield f"  {listed(clusters)}: {with_source(reason, source)}"


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
            yield f"one {name} {verb} on {listed(clusters)}: {with_source(reason, source)}"


def conclusion(why: Why) -> list[str]:
    """Return the verdict where there is something to say: no placement, or one that is not proven best."""
    if why.outcome.status is Status.OPTIMAL:
        return []
    return [verdict(why.outcome), *explanation(why.outcome)]


def to_text(why: Why) -> str:
    """Return a short, readable rendering."""
    shown = why.clusters[:SHOWN]
    lines = [heading(why), *(line for each in shown for line in cluster_lines(each))]
    if len(shown) < len(why.clusters):
        lines.append(f"... and {counted(len(why.clusters) - len(shown), 'more cluster')}")
    return "\n".join([*lines, *excluded_lines(why), *gain_lines(why, SHOWN), *conclusion(why)])


def cluster_lines(each: ClusterWhy) -> Iterator[str]:
    """Yield what is to be said of one cluster, a line for every step."""
    decision = each.decision
    if each.candidate and each.more is None:
        yield f"{decision.cluster}: {decision.reason}"
    elif each.candidate:
        yield f"{decision.cluster} holds {counted(decision.replicas, 'replica')}: {decision.reason}"
    for name, step in (("one more", each.more), ("one less", each.less)):
        if step is not None:
            yield f"  {sentence(name, step, decision.cluster)}"


def to_html(why: Why) -> str:
    """Return a small table for notebooks; every text of the input is escaped."""
    rows = [
        (
            each.decision.cluster,
            str(each.decision.replicas),
            *(_cell(name, step, each) for name, step in (("one more", each.more), ("one less", each.less))),
            each.decision.reason,
        )
        for each in why.clusters[:SHOWN]
    ]
    rest = len(why.clusters) - len(rows)
    more = f"<p>... and {counted(rest, 'more cluster')}</p>" if rest > 0 else ""
    below = [*excluded_lines(why), *gain_lines(why, SHOWN), *conclusion(why)]
    lines = "<br>".join(escape(line.strip()) for line in below)
    table = _table(("Cluster", "Replicas", "One more", "One less", "Reason"), rows)
    return f"<div><p><b>{escape(heading(why))}</b></p>{table}{more}<p>{lines}</p></div>"


def _cell(name: str, step: Step | None, each: ClusterWhy) -> str:
    """Return a step without its name."""
    if step is None:
        return ""
    return sentence(name, step, each.decision.cluster).removeprefix(f"{name}: ")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table of escaped cells."""
    header = "".join(f'<th style="text-align:left">{escape(cell)}</th>' for cell in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:left">{escape(cell)}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>"


def signed(value: int | Fraction) -> str:
    """Return a number with its sign."""
    return f"+{format_number(value)}" if value > 0 else format_number(value)


def listed(names: Sequence[str]) -> str:
    """Return a few names in words."""
    if len(names) > NAMED:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def with_source(text: str, source: Source | None) -> str:
    """Return a text with file and line where they are known."""
    return f"{text} ({source})" if source is not None and source.line else text
