"""Comparisons: the best placement beside those of dispensers, and a plan beside one that was saved."""

from collections.abc import Iterator, Sequence

from fairlead.models.outcome import Comparison, Contender, Outcome
from fairlead.models.words import counted, format_number
from fairlead.report.blocks import (
    Cell,
    Column,
    Line,
    Row,
    Table,
    cells,
    columns,
    first_lines,
    some,
    table,
    texts,
)
from fairlead.report.content.outcome import SHOWN, TONES, explanation, toned_verdict, verdict
from fairlead.report.content.plan import shift_cells
from fairlead.report.terminal import Look
from fairlead.solver.plan.saved import PlanComparison

BEST = "best"
ROWS_SHOWN = 30
"""Differences between two plans that a table shows before it counts the rest."""

_TARGETS = columns("~Workload", "~Cluster", ">Saved", ">New", ">Change")


def verdicts(comparison: Comparison) -> str:
    """Return how all contenders compare, a line each, below the verdict on the best placement."""
    return "\n".join([verdict(comparison.best), *(each.verdict for each in comparison.contenders)])


def summary(comparison: Comparison) -> list[str]:
    """Return the verdict, and below every contender what it breaks, a line each."""
    lines = [verdict(comparison.best)]
    for contender in comparison.contenders:
        lines += [contender.verdict, *_broken(contender, SHOWN, "  ... and {}")]
    return lines


def terminal(comparison: Comparison, look: Look) -> list[list[Line]]:
    """Return everything that a terminal shows; without headers a row per answer only."""
    if not look.headers:
        return [[answers(comparison)]]
    shown = [toned_verdict(comparison.best), *texts(explanation(comparison.best))]
    for contender in comparison.contenders:
        told = _broken(contender, look.few(SHOWN), "  ... and {}; -o wide shows them all")
        shown += texts([contender.verdict, *told])
    return [[answers(comparison)], some(replicas(comparison).first(look.few(SHOWN), "")), shown]


def answers(comparison: Comparison) -> Table:
    """Return a row per answer: status, what is missing or broken, and every level of the best one."""
    best = comparison.best
    names = [level.name for level in best.objectives]
    rows = [_answer(BEST, best, best.missing, names)]
    rows += [_answer(each.name, each.outcome, each.unplaced, names) for each in comparison.contenders]
    levels = (Column(name, right=True) for name in names)
    return table((*columns("Scheduler", "Status", ">Unplaced", ">Violations"), *levels), rows)


def _answer(name: str, outcome: Outcome, missing: int, levels: list[str]) -> Row:
    """Return the row of one answer; levels of another affinity group are not comparable."""
    same = [level.name for level in outcome.objectives] == levels
    values = [format_number(level.value) for level in outcome.objectives] if same else ["-"] * len(levels)
    broken = len(outcome.violations)
    unplaced = "-" if outcome.placement is None else str(missing)
    return (
        Cell(name, "bold"),
        Cell(str(outcome.status), TONES[outcome.status]),
        Cell(unplaced, "" if unplaced in ("0", "-") else "bad"),
        Cell(str(broken), "bad" if broken else ""),
        *cells(*values),
    )


def replicas(comparison: Comparison) -> Table:
    """Return the clusters on which a contender differs, the replicas of every answer side by side."""
    spots = sorted(
        {(one.workload, one.cluster) for each in comparison.contenders for one in each.differences}
    )
    answers = [(BEST, comparison.best), *((each.name, each.outcome) for each in comparison.contenders)]
    named = (Column(name, right=True) for name, _ in answers)
    outcomes = [outcome for _, outcome in answers]
    rows = ((*cells(key, cluster), *_numbers(outcomes, key, cluster)) for key, cluster in spots)
    return table((*columns("~Workload", "~Cluster"), *named), rows)


def _numbers(answers: Sequence[Outcome], key: str, cluster: str) -> Iterator[Cell]:
    """Yield the replicas of every answer on a cluster, toned where they differ from the best."""
    numbers = [one.placement.of(key).get(cluster, 0) if one.placement else 0 for one in answers]
    yield from (Cell(str(number), "" if number == numbers[0] else "notice") for number in numbers)


def _broken(contender: Contender, shown: int | None, told: str) -> list[str]:
    return first_lines((f"  {violation}" for violation in contender.outcome.violations), shown, "", told)


def differences(comparison: PlanComparison) -> Iterator[str]:
    """Yield a sentence for everything that differs, but for the single clusters of the targets."""
    before, after = comparison.before, comparison.after
    if before.target is None or after.target is None:
        if before.target is not None:
            yield "The saved plan had a target; the new one has none."
        elif after.target is not None:
            yield "The saved plan had no target; the new one has one."
        return
    if before.moves != after.moves:
        yield f"{counted(after.moves, 'replica')} to move instead of {before.moves}."
    if before.waves != after.waves:
        yield f"{counted(after.waves or 0, 'wave')} instead of {before.waves or 0}."
    yield from (f"{key} is not in the saved plan." for key in comparison.added)
    yield from (f"{key} is not in the new plan." for key in comparison.removed)


def plans_verdict(comparison: PlanComparison) -> str:
    """Return what differs in sentences, a line each; empty where nothing does."""
    return "\n".join(differences(comparison))


def plans_summary(comparison: PlanComparison) -> list[str]:
    """Return how two plans differ, a line each; nothing where they do not."""
    targets = (
        f"{each.workload} on {each.cluster}: {each.after} instead of {each.before}"
        for each in comparison.targets
    )
    return [*differences(comparison), *first_lines(targets, SHOWN, "difference")]


def plans_terminal(comparison: PlanComparison, look: Look) -> list[list[Line]]:
    """Return how two plans differ; without headers the table of the targets only, for scripts."""
    rows = (shift_cells(each.workload, each.cluster, each.before, each.after) for each in comparison.targets)
    told = "... and {} (-o wide shows all)"
    targets = table(_TARGETS, rows).first(look.few(ROWS_SHOWN), "difference", told)
    return [texts(differences(comparison)) if look.headers else [], some(targets)]
