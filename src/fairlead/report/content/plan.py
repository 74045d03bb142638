"""A rebalance plan: what it comes to, its waves, what changes, and how it differs from a saved one."""

from collections.abc import Iterable, Iterator

from fairlead.models.outcome import Status
from fairlead.models.words import be, counted, either, happening, listed
from fairlead.report.blocks import (
    Cell,
    Line,
    Row,
    Table,
    Text,
    cells,
    columns,
    first_lines,
    some,
    table,
    texts,
)
from fairlead.report.content.fleet import (
    ALL_SHOWN,
    ROWS_SHOWN,
    ReplicaChanges,
    ask_for_sorting,
    change_of,
    closing,
    difference,
    grouped,
    is_changed,
    places,
)
from fairlead.report.content.fullness import cluster_shifts, planned, planned_fullness
from fairlead.report.content.next_steps import Step, again, steps_of
from fairlead.report.content.outcome import SHOWN, explanation, judged, remarks, short_of, told_cost, verdict
from fairlead.report.pages import Making
from fairlead.report.tabular import sorted_by
from fairlead.report.terminal import Look
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.plan.saved import PlanComparison
from fairlead.solver.plan.waves import Move, MoveOrder, Wave, WavePlan

PLAIN = "New replicas start before old ones stop; -o moves prints the moves."

MOVES = columns("Workload", ">Replicas", "From", "To", "First")
CHANGES = columns("~Workload", "~Cluster", ">Now", ">Target", ">Change")
DIFFERENCES = columns("~Workload", ">Replicas", "~Fewer", "&More")
_TARGETS = columns("~Workload", "~Cluster", ">Saved", ">New", ">Change")
_SUMMARY = columns(">Wave", ">Replicas", ">Workloads", "~From", "~To")
_WAVES = columns(">Wave", "~Workload", ">Replicas", "~From", "~To", "First")


def summary(plan: RebalancePlan) -> list[str]:
    """Return a short, readable rendering, a line each."""
    if plan.waves is None:
        return [headline(plan), *explanation(plan.outcome)]
    moves = [f"  wave {number}: {move_text(move)}" for number, move in _numbered(plan.waves)]
    blocked = (f"  cannot move: {blocked.reason}" for blocked in plan.waves.blocked[:SHOWN])
    return [*head_lines(plan), *first_lines(moves, SHOWN, "move", "  ... and {}"), *blocked]


def terminal(plan: RebalancePlan, look: Look) -> list[list[Line]]:
    """Return everything that a terminal shows; a wide one shows a row per workload and cluster, too.

    Without headers the moves are left, a row each, for scripts.
    """
    ask_for_sorting(look.picked, DIFFERENCES, _WAVES)
    if plan.waves is None:
        told = [Text(headline(plan), "bold"), *texts(explanation(plan.outcome))]
        return [told] if look.headers else []
    if not look.headers and not look.picked.group_by:
        return moves(plan, look)
    title, *lines = head_lines(plan)
    blocked = [f"Cannot move: {blocked.reason}" for blocked in plan.waves.blocked]
    last = texts(first_lines(blocked, look.few(SHOWN), "", ALL_SHOWN))
    groups = [[Text(title, "bold"), *texts([*lines, *remarks(plan.outcome), *told_cost(plan.outcome)])]]
    if look.picked.group_by:
        groups += [[grouped(places(plan.outcome), look.picked, plan.problem.clusters)], last]
    elif plan.nothing_to_do:
        groups.append(some(planned_fullness(plan, look)) if look.wide else _every(plan, look))
    elif look.wide:
        groups += [*moves(plan, look), last, some(change_table(plan))]
        groups.append(some(planned_fullness(plan, look)))
    else:
        groups += [_waves(plan, look), _every(plan, look), last, cluster_shifts(planned(plan), look)]
    return groups if plan.nothing_to_do else [*groups, [Text(closing(change(plan)), "bold")]]


def change(plan: RebalancePlan) -> ReplicaChanges:
    """Return the changes by the plan, counted as its headline counts."""
    numbers = {"moved": plan.moves, "started": plan.started, "stopped": plan.stopped}
    return change_of(plan.outcome)._replace(**numbers)


def _every(plan: RebalancePlan, look: Look) -> list[Line]:
    """Return a row per workload that changes, or of every one where all are wanted: what stops and starts."""
    rows = [
        (*cells(one.key, one.replicas), *difference(one.current, plan.outcome.placed(one)))
        for one in plan.outcome.problem.with_replicas
        if look.picked.every or is_changed(plan.outcome, one)
    ]
    found = sorted_by(table(DIFFERENCES, rows), look.picked.sort_by)
    return some(found.first(look.few(ROWS_SHOWN), "workload", ALL_SHOWN))


def _waves(plan: RebalancePlan, look: Look) -> list[Line]:
    """Return the moves in the order of the waves; a row per wave where there are too many.

    Of a single wave in which nothing stops early all is said by what changes.
    """
    waves = plan.waves.waves if plan.waves is not None else ()
    if len(waves) == 1 and not look.picked.every and not any(one.stops_early for one in waves[0].moves):
        return [Text(PLAIN, "dim")]
    if look.few(ROWS_SHOWN) is None or sum(len(wave.moves) for wave in waves) <= ROWS_SHOWN:
        return [line for group in moves(plan, look) for line in group]
    rows = (_wave(number, wave) for number, wave in enumerate(waves, start=1))
    note = "-A shows every move, -o moves prints one per line"
    shown = table(_SUMMARY, rows).first(ROWS_SHOWN, "wave", ALL_SHOWN)
    return [shown, Text(note, "dim")]


def _wave(number: int, wave: Wave) -> Row:
    sources = sorted({move.source for move in wave.moves if move.source})
    targets = sorted({move.target for move in wave.moves if move.target})
    keys = {move.workload for move in wave.moves}
    ends = (listed(names, "cluster") or "-" for names in (sources, targets))
    return cells(number, wave.replicas, len(keys), *ends)


def moves(plan: RebalancePlan, look: Look) -> list[list[Line]]:
    """Return the moves only, a row each, in the order of the waves unless they are sorted."""
    if plan.waves is None:
        return []
    rows = ((*cells(number), *move_cells(move)) for number, move in _numbered(plan.waves))
    found = table(_WAVES, rows)
    if look.wide:
        found = sorted_by(found, look.picked.sort_by)
    return [some(found.first(look.few(ROWS_SHOWN), "move", ALL_SHOWN))]


def head_lines(plan: RebalancePlan) -> list[str]:
    """Return the headline of a plan, how good its target is, what it lacks, what holds between waves only."""
    on_the_way = filter(None, [waiting_line(plan), inside_line(plan)])
    return [headline(plan), target_line(plan), *explanation(plan.outcome), *on_the_way]


def move_cells(move: Move) -> Row:
    """Return the row of a move."""
    first = "stop" if move.stops_early else "start"
    return cells(move.workload, move.replicas, move.source or "-", move.target or "-", first)


def change_table(plan: RebalancePlan) -> Table:
    """Return a row per workload and cluster that changes."""
    rows = (shift_cells(each.workload, each.cluster, each.before, each.after) for each in plan.changes)
    return table(CHANGES, rows, "Replicas now and in the target, by workload and cluster")


def shift_cells(workload: str, cluster: str, before: int, after: int) -> Row:
    """Return the row of a workload and a cluster whose number of replicas is different."""
    change = Cell(f"{after - before:+d}", "good" if after > before else "notice")
    return (*cells(workload, cluster, before, after), change)


def _numbered(waves: WavePlan) -> Iterable[tuple[int, Move]]:
    return ((number, move) for number, wave in enumerate(waves.waves, start=1) for move in wave.moves)


def headline(plan: RebalancePlan) -> str:
    """Return the plan in one sentence."""
    if plan.waves is None:
        return f"No plan. {verdict(plan.outcome)}"
    if plan.nothing_to_do:
        if plan.outcome.status is Status.OPTIMAL or plan.outcome.from_saved:
            return "No changes: what runs now is already the target."
        return "No changes: nothing better than what runs now was found in time."
    waves = counted(len(plan.waves.waves), "wave")
    numbers = [
        (plan.moves, "moves", "move"),
        (plan.started, "starts", "start"),
        (plan.stopped, "stops", "stop"),
    ]
    if plan.blocked:
        whole = counted(sum(count for count, _, _ in numbers), "replica")
        verbs = either([verb for count, _, verb in numbers if count])
        others = f"; the others do, in {waves}" if plan.waves.waves else ""
        return f"{plan.blocked} of {whole} cannot {verbs}{others}."
    return f"{happening(numbers, 'replica')} in {waves}{_least(plan)}."


def _least(plan: RebalancePlan) -> str:
    """Say whether fewer would do, as far as it is proven of the waves, and of the target."""
    waves = plan.waves
    if waves is None or not waves.waves:
        return ""
    if not waves.proven:
        return f" (at least {counted(waves.lower_bound, 'wave')} {be(waves.lower_bound)} needed)"
    proven = plan.outcome.status is Status.OPTIMAL
    return " (the minimum)" if proven else " (the minimum for this target)"


def waiting_line(plan: RebalancePlan) -> str:
    """Say how many replicas move twice, which the headline counts once; empty where none does."""
    waiting = 0 if plan.waves is None else plan.waves.waiting
    if not waiting:
        return ""
    who, it = (
        ("One replica starts", "it waits") if waiting == 1 else (f"{waiting} replicas start", "they wait")
    )
    return f"{who} twice: {it} on a third cluster until the target has capacity."


def inside_line(plan: RebalancePlan) -> str:
    """Say which rules about several clusters a wave breaks on its way; empty where there are none."""
    found = plan.passed_inside
    if not found:
        return ""
    first, *others = found
    keys = {each.violation.workload for each in found}
    more = f", and {counted(len(others), 'more such case')}" if others else ""
    whose = counted(len(keys), "workload")
    return f"Temporarily, {whose} will not keep a group total or spread: {first}{more}."


def target_line(plan: RebalancePlan) -> str:
    """Say how good the target is."""
    if plan.outcome.from_saved:
        kept = "it still keeps every rule."
        return f"The target is as saved: {f'{short_of(plan.outcome)}:' if plan.outcome.shortfalls else kept}"
    word, meaning = judged(plan.outcome)
    return f"The target is {word.lower()}: {meaning}"


def move_text(move: Move) -> str:
    """Say one move in words: stop, start or move so many replicas of a workload."""
    what = counted(move.replicas, "replica")
    if move.source is None:
        return f"start {what} of {move.workload} on {move.target}"
    if move.target is None:
        return f"stop {what} of {move.workload} on {move.source}"
    early = ", the old ones stop first" if move.stop_first else ""
    return f"move {what} of {move.workload} from {move.source} to {move.target}{early}"


def next_steps(plan: RebalancePlan, making: Making) -> list[Step]:
    """Return the next steps with a plan."""
    steps = steps_of(plan.outcome, "plan", making)
    waves = plan.waves
    if waves is not None and waves.blocked and waves.options.order is MoveOrder.START_FIRST:
        told = "Stop old replicas first where there is no capacity for the new ones beside them:"
        steps.append((told, again("plan", making, "--order", "either")))
    if waves is not None and waves.waves:
        file = making.saved or "plan.json"
        if not making.saved:
            steps.append(("Save this plan:", again("plan", making, "--save", file)))
        told, carried = "Write what to apply, one file per wave:", "--waves waves"
        if making.from_cluster:
            told, carried = "Carry it out, wave by wave; it asks first:", "--apply"
        resumed = again("plan", making, "--resume", file, *carried.split(), like="resume")
        steps.append((told, resumed))
    return steps


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
    """Return the differences of two plans, a line each; empty where there are none."""
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
