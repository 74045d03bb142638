"""An outcome: the verdict, what contradicts what, its levels, and short renderings."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from fairlead.models.conditions import how_far
from fairlead.models.outcome import Attained, Outcome, Status
from fairlead.models.rules import candidates, duplicated, total
from fairlead.models.statement import Conflict, Proof, Violation
from fairlead.models.triggers import untriggered
from fairlead.models.words import counted, format_number, format_percent, listed
from fairlead.models.workload import Workload
from fairlead.report.blocks import Cell, Line, Table, Text, Tone, cells, columns, first_lines, table, texts
from fairlead.report.content.fleet import COMPACT_ABOVE, change_of, closing, cost_lines
from fairlead.report.content.workloads import placements
from fairlead.report.terminal import Look
from fairlead.solver.changes.kinds import sentences

SHOWN = 20
"""Workloads, rules and warnings that a short rendering shows before it counts the rest."""
_UNVERIFIED = "Time ran out: perhaps not all of these rules are part of the conflict."

TONES: Mapping[Status, Tone] = {
    Status.OPTIMAL: "good",
    Status.FEASIBLE: "notice",
    Status.UNKNOWN: "bad",
    Status.INFEASIBLE: "bad",
}
LEVELS = columns("~Objective", ">Value", ">Lower bound", "~Proof")
LOST = columns("Workload", ">Replicas", ">Expected loss", ">Part")


def summary(outcome: Outcome) -> list[str]:
    """Return a short, readable rendering, a line each."""
    lines = [verdict(outcome), *first_lines(explanation(outcome), SHOWN, "line")]
    lines += [*first_lines(breaches(outcome), SHOWN, "rule"), *remarks(outcome)]
    if outcome.placement is not None:
        width = max((len(workload.key) for workload in outcome.problem.workloads), default=0)
        placed = (f"{one.key:<{width}}  {_placed(outcome, one)}" for one in outcome.problem.workloads)
        lines += first_lines(placed, SHOWN, "workload")
    if outcome.objectives:
        lines.append(", ".join(f"{level.name} {format_number(level.value)}" for level in outcome.objectives))
    return lines


def terminal(outcome: Outcome, look: Look) -> list[list[Line]]:
    """Return everything that a terminal shows; without a placement only the verdict, which is no row."""
    groups = placements(outcome, look)
    if outcome.objectives and look.headers:
        groups.append([level_table(outcome)])
    if outcome.expected_loss is not None and look.wide and look.headers:
        groups.append([loss_table(outcome, outcome.expected_loss)])
    if look.headers:
        groups.append(conclusion(outcome))
    return groups


def conclusion(outcome: Outcome) -> list[Line]:
    """Return the verdict, its first word toned, and what explains it."""
    below = (*explanation(outcome), *breaches(outcome), *remarks(outcome), *told_cost(outcome))
    told: list[Line] = [toned_verdict(outcome), *texts(below)]
    workloads = outcome.problem.with_replicas
    runs = any(any(one.current.values()) for one in workloads)
    # What changes comes first where the fleet is large.
    if runs and outcome.placement is not None and len(workloads) <= COMPACT_ABOVE:
        told.append(Text(closing(change_of(outcome)), "bold"))
    return told


def told_cost(outcome: Outcome) -> list[str]:
    """Return the cost of the placement and its savings, a line each; none where nothing has a price."""
    now = {workload.key: workload.current for workload in outcome.problem.workloads}
    return cost_lines(outcome.problem, now, outcome.placement)


def toned_verdict(outcome: Outcome) -> Text:
    """Return the verdict, its first word toned."""
    return Text(verdict(outcome), TONES[outcome.status], len(judged(outcome)[0]))


def level_table(outcome: Outcome) -> Table:
    """Return the table of the levels, the most important first."""
    rows = [
        (
            *cells(level.name, format_number(level.value)),
            *cells("-" if level.bound is None else format_number(level.bound)),
            Cell(proof(level), "good" if level.proven else "notice"),
        )
        for level in outcome.objectives
    ]
    return table(LEVELS, rows, "Levels, the most important first")


def loss_table(outcome: Outcome, lost: Mapping[str, Fraction]) -> Table:
    """Return the table of what every workload is expected to lose, the largest part of it first."""
    found = []
    for one in outcome.problem.with_replicas:
        running = sum(outcome.placed(one).values())
        found.append((lost[one.key] / max(1, running), one.key, running))
    rows = [
        cells(key, running, format_number(lost[key]), format_percent(part))
        for part, key, running in sorted(found, key=lambda each: (-each[0], each[1]))
    ]
    return table(LOST, rows, "Replicas that are lost on average, at the given failure rates")


def _placed(outcome: Outcome, workload: Workload) -> str:
    where = ", ".join(f"{name} {replicas}" for name, replicas in outcome.placed(workload).items())
    return f"{counted(workload.replicas, 'replica')}: {where or 'none placed'}"


def proof(level: Attained) -> str:
    """Return the proof of a level in words: ``proven``, ``gap 3 %`` or ``-``."""
    if level.proven:
        finest = level.tolerance or level.resolution
        return f"proven within {format_number(finest)}" if finest else "proven"
    return "-" if level.gap is None else f"gap {format_percent(level.gap)}"


def verdict(outcome: Outcome) -> str:
    """Return the outcome in one sentence."""
    return ": ".join(judged(outcome))


def judged(outcome: Outcome) -> tuple[str, str]:
    """Return how good an outcome is in a word or two, and what that means."""
    match outcome.status:
        case Status.OPTIMAL if outcome.shortfalls:
            return "Best possible", f"{short_of(outcome)}; {_optimal(outcome)[:-1]}:"
        case Status.OPTIMAL:
            return "Optimal", _optimal(outcome)
        case Status.FEASIBLE if outcome.shortfalls:
            return "Feasible", f"{short_of(outcome)}; {how_far(outcome)}:"
        case Status.FEASIBLE:
            return "Feasible", f"{how_far(outcome)}."
        case Status.UNKNOWN:
            told = "no placement found in time, and none ruled out; a higher time limit may find one."
            return "Unknown", told
        case Status.INFEASIBLE:
            return "Infeasible", _infeasible(outcome)


def short_of(outcome: Outcome) -> str:
    """Say how much of what was asked for is missing, such as ``4 of 20 unplaced``."""
    missing = outcome.missing
    rules = sum(1 for each in outcome.shortfalls if each.rule not in (total.KIND, duplicated.KIND))
    parts = []
    if missing:
        every = missing + sum(sum(outcome.placed(one).values()) for one in outcome.problem.workloads)
        parts.append(f"{missing} of {every} unplaced")
    if rules:
        parts.append(f"{counted(rules, 'rule')} not met")
    return ", ".join(parts)


def _optimal(outcome: Outcome) -> str:
    """Say how much is proven, and how finely it was compared."""
    coarse = [level for level in outcome.objectives if level.resolution or level.tolerance]
    steps = [
        f"{level.name} within {format_number(level.tolerance or level.resolution or 0)}" for level in coarse
    ]
    proven = f"({', '.join(['proven', *steps])})"
    return f"no better placement exists {proven}."


def _infeasible(outcome: Outcome) -> str:
    """Say why there is no placement; the lines of `explanation` follow."""
    if outcome.placement is not None:
        return f"the placement of {outcome.origin} violates {counted(len(outcome.violations), 'rule')}:"
    if outcome.conflict is None and outcome.by_solver:
        return "no placement keeps every rule (proven); time ran out before the conflict was narrowed down."
    if outcome.conflict is None:
        because = f" ({outcome.reason})" if outcome.reason else ""
        return f"{outcome.origin} found no placement{because}."
    if outcome.conflict.cause:
        return f"{outcome.conflict.cause}."
    return f"no placement keeps {these_rules(outcome.conflict)}:"


def explanation(outcome: Outcome) -> list[str]:
    """Return the lines that the verdict announces, with file and line; may be empty."""
    if outcome.status is not Status.INFEASIBLE:
        told = told_shortages(outcome.shortfalls)
        return first_lines((f"  {line}" for line in told), SHOWN, "line")
    if outcome.conflict is not None:
        first, *others = outcome.conflicts
        lines = [f"No placement keeps {these_rules(first)}:"] if first.cause else []
        lines += told_rules(first)
        for each in others[: SHOWN - 1]:
            lines += [also_infeasible(each), *told_rules(each)]
        if len(others) >= SHOWN:
            lines.append(f"... and {counted(len(others) - SHOWN + 1, 'more conflict')}")
        return [*lines, *told_ways(first)]
    return [f"  {violation}" for violation in outcome.violations]


def explain(conflict: Conflict) -> list[str]:
    """Return the statements of a conflict and the ways out of it, a line each."""
    return [*told_rules(conflict), *told_ways(conflict)]


def told_rules(conflict: Conflict) -> list[str]:
    """Return the statements of a conflict, a line each, and whether they are too many."""
    lines = [f"  {statement}" for statement in conflict.rules]
    return [*lines, _UNVERIFIED] if lines and conflict.proof is Proof.UNVERIFIED else lines


def told_ways(conflict: Conflict) -> list[str]:
    """Return the ways out, a line each, and what helps where there is none."""
    if not conflict.relaxations:
        return list(conflict.advice)
    return [
        *conflict.advice,
        _announced(conflict),
        *(
            f"  {relaxation.text} ({relaxation.source})" if relaxation.source else f"  {relaxation.text}"
            for relaxation in conflict.relaxations
        ),
    ]


def these_rules(conflict: Conflict) -> str:
    """Say how many rules no placement keeps, before the rules of a conflict are told."""
    return "this rule" if len(conflict.rules) == 1 else "all of these rules"


def also_infeasible(conflict: Conflict) -> str:
    """Announce the rules of one more conflict, and say its cause where that is known."""
    cause = f" ({conflict.cause})" if conflict.cause else ""
    return f"No placement keeps {these_rules(conflict)} either{cause}:"


def _announced(conflict: Conflict) -> str:
    """Say how far the ways out help, and whether each of them is one change or several."""
    whom = "all others" if conflict.without_way_out else "it"
    several = any(sentences(each.changes) > 1 for each in conflict.relaxations)
    if len(conflict.relaxations) == 1:
        return f"These changes together fix {whom}:" if several else f"This change fixes {whom}:"
    return f"Any one of these {'lines' if several else 'changes'} fixes {whom}:"


def breaches(outcome: Outcome) -> list[str]:
    """Return the rules that are broken now, a line each: those that the placement repairs, and the others."""
    told = (("Fixed", outcome.repaired), ("Still violated", outcome.still_broken))
    return [f"{what}: {sentence}" for what, broken in told for sentence in told_breaches(broken)]


def remarks(outcome: Outcome) -> list[str]:
    """Return the expected cost of failures, and where schedulers would act otherwise, a line each."""
    notes = [f"Note: {statement}" for statement in untriggered(outcome)]
    if outcome.expected_loss is None:
        return notes
    lost = format_number(sum(outcome.expected_loss.values(), Fraction(0)))
    running = counted(sum(sum(outcome.placed(one).values()) for one in outcome.problem.workloads), "replica")
    return [f"Expected loss: {lost} of {running} on average, at the given failure rates.", *notes]


def told_breaches(broken: Iterable[Violation]) -> list[str]:
    """Return a sentence for each rule that is broken, one for all replicas on one closed cluster."""
    return [str(every[0]) if len(every) == 1 else _on_a_closed_cluster(every) for every in _alike(broken)]


def told_shortages(broken: Iterable[Violation]) -> list[str]:
    """Return a sentence for each rule that is broken, one for all replicas unplaced for the same reason."""
    return [every[0].text if len(every) == 1 else _unplaced(every) for every in _alike(broken)]


def _alike(broken: Iterable[Violation]) -> Iterable[Sequence[Violation]]:
    """Return broken rules, those together that are broken for the same reason at the same place."""
    alike: dict[object, list[Violation]] = {}
    for position, one in enumerate(broken):
        together = one.because and one.rule in (total.KIND, candidates.KIND)
        alike.setdefault((one.rule, one.cluster, one.because) if together else position, []).append(one)
    return alike.values()


def _on_a_closed_cluster(every: Sequence[Violation]) -> str:
    """Say how many replicas of which workloads are on a cluster, why it is closed, and where that is said."""
    first = every[0]
    found = counted(sum(one.amount for one in every), "replica")
    return f"{found} on {first.cluster}, which {first.because} ({_whose(every)})"


def _unplaced(every: Sequence[Violation]) -> str:
    """Say how many replicas of which workloads are unplaced, with the place of the first."""
    return f"{sum(one.amount for one in every)} replicas are unplaced ({_whose(every)}): {every[0].because}"


def _whose(every: Sequence[Violation]) -> str:
    """Say which workloads break a rule by how much, and where the rule of the first was declared."""
    names = listed([f"{one.workload} {one.amount}" for one in every], "workload")
    return f"{names}; {every[0].source}" if every[0].source else names
