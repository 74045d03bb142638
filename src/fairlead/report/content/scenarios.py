"""A simulation and its scenarios, alone or in a sweep: what was asked, what comes of it, and why."""

from collections.abc import Iterator, Sequence

from fairlead.models.cluster import FIELDS
from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Duplicated, duplicated, total
from fairlead.models.triggers import stays
from fairlead.models.words import counted, happening, listed, plural
from fairlead.models.workload import Workload, running
from fairlead.report.blocks import NOTHING, Cell, Column, Row, Table, columns, number, table
from fairlead.report.content.fleet import ReplicaChanges
from fairlead.report.content.fullness import format_fullness
from fairlead.report.content.outcome import explanation, told_shortages
from fairlead.report.content.outcome import verdict as verdict_on
from fairlead.solver.simulate.changes import Add, At
from fairlead.solver.simulate.changes import Change as Asked
from fairlead.solver.simulate.result import Effect, Scenario, Simulation, effects, gives_way_least

FULLEST = 5
"""Clusters that fill first which are named before the rest is counted."""


def change(simulation: Simulation) -> ReplicaChanges:
    """Return the changes that a simulation brings about, in numbers."""
    changing = sum(1 for one in simulation.caused if one.started or one.stopped or one.lost)
    moved, lost, started, stopped = _shifted(simulation.caused)
    return ReplicaChanges(
        changing, moved, started, stopped, sum(one.unplaced for one in simulation.effects), lost
    )


def _shifted(found: Sequence[Effect]) -> tuple[int, int, int, int]:
    """Return how many replicas move, are lost, and start and stop beside those that move."""
    moved = sum(one.moved for one in found)
    started, stopped = sum(one.started for one in found), sum(one.stopped for one in found)
    return moved, sum(one.lost for one in found), started - moved, stopped - moved


def copies_lost(simulation: Simulation) -> list[str]:
    """Say how many lost replicas are copies that every cluster has of its own; a line, or none."""
    workloads = simulation.after.problem.workload_by_key
    copied = (one for one in simulation.caused if workloads[one.workload].rule(Duplicated) is not None)
    count = sum(max(0, one.lost - one.started - one.unplaced) for one in copied)
    verb = "is a copy" if count == 1 else "are copies"
    told = (
        f"{count} of the lost replicas {verb} of Duplicated workloads, which other clusters do not replace."
    )
    return [told] if count else []


def other_groups(simulation: Simulation) -> list[str]:
    """Say which workloads get another affinity group, those together that change alike; a line each.

    The one before is that in which a workload runs, or else that of the best placement before.
    """
    before, after = simulation.before.problem.workload_by_key, simulation.after.problem.workload_by_key
    changing: dict[tuple[str, str], list[str]] = {}
    for effect in simulation.effects if simulation.after.placement is not None else ():
        known, then = before.get(effect.workload), after[effect.workload].group
        best = known.group if known else None
        now = known.observed if known and running(known, simulation.before.problem.cluster_by_name) else None
        if best is not None and then is not None and then not in (best, now):
            changing.setdefault((now or best, then), []).append(effect.workload)
    return [
        f"{listed(keys, 'workload')} {'changes' if len(keys) == 1 else 'change'}"
        f" from affinity group {now} to {then}."
        for (now, then), keys in changing.items()
    ]


def fills_first(simulation: Simulation) -> list[str]:
    """Say which clusters are the fullest where autoscalers are at their maximum; a line, or none."""
    limits = [one for one in simulation.changes if isinstance(one, At)]
    if limits[-1:] != [At("max")]:
        return []
    named = [
        f"{one.cluster} ({one.resource} {format_fullness(one.share)})"
        for one in simulation.fullest
        if one.share  # an empty cluster does not fill
    ]
    return [f"Fills first: {listed(named, 'cluster', shown=FULLEST)}."] if named else []


def title(simulation: Simulation) -> str:
    """Return the question, such as ``What if: drain member1, lose region eu``."""
    asked = ", ".join(_asked(change, simulation.before.problem) for change in simulation.changes)
    if simulation.sweep is None:
        return f"What if: {asked or 'nothing changes'}"
    each = f"{sweep_words(simulation.sweep)} ({counted(len(simulation.scenarios), 'scenario')})"
    return f"What if: {asked}, then {each}" if asked else f"What if: {each}"


def _asked(change: Asked, before: Problem) -> str:
    """Return a change in words, with the names of clusters and workloads that are added."""
    if not isinstance(change, Add):
        return str(change)
    clusters = [one.name for one in change.together.clusters if one.name not in before.cluster_by_name]
    workloads = [one.key for one in change.together.workloads if one.key not in before.workload_by_key]
    found = [
        f"{plural(noun, len(names))} {listed(names, noun)}"
        for noun, names in (("cluster", clusters), ("workload", workloads))
        if names
    ]
    return f"add {listed(found, parted=True)}" if found else str(change)


def verdict(simulation: Simulation) -> str:
    """Return the verdict on the changes, in one sentence."""
    if simulation.after.placement is None:
        return verdict_on(simulation.after)
    happens = _happens(simulation.caused)
    if simulation.after.fits:
        return f"Fits: {happens}."
    rules = [one for one in simulation.broken if one.rule not in (total.KIND, duplicated.KIND)]
    unplaced, known = change(simulation).unplaced, simulation.known
    left = failures(unplaced, len(rules), least=not known or gives_way_least(simulation.after))
    if not known:
        return f"Not known whether it fits: {left} when time was over; {happens}. Raise the time limit."
    return f"Does not fit: {left}; {happens}."


def _happens(found: Sequence[Effect]) -> str:
    """Say how many replicas move, are lost, start and stop, such as ``3 replicas move, 2 are lost``."""
    moved, lost, started, stopped = _shifted(found)
    numbers = (
        (moved, "moves", "move"),
        (lost, "is lost", "are lost"),
        (started, "is started", "are started"),
        (stopped, "is stopped", "are stopped"),
    )
    return happening(numbers, "replica") or "nothing moves"


def already(simulation: Simulation) -> list[str]:
    """Return shortages and moves without the changes, a line each."""
    lines: list[str] = []
    before = simulation.before
    if before.status is Status.INFEASIBLE:
        return ["Even before the change, no placement keeps every rule."]
    if before.placement is None:
        return [f"Even before the change: {verdict_on(before)}"]
    if not before.fits:
        found = len(before.shortfalls) or len(before.violations)
        lines.append(f"Even before the change, not everything fits: {counted(found, 'shortfall')}.")
    moving = [effect for effect in effects(before, before) if effect.started or effect.stopped]
    if moving:
        where = counted(len(moving), "workload")
        lines.append(f"Even before the change, {_happens(moving)} in {where}.")
    return lines


def reasons(simulation: Simulation) -> list[str]:
    """Return why not everything fits, a line each; empty where it does."""
    if simulation.after.placement is None:
        return explanation(simulation.after)
    return [f"  {line}" for line in told_shortages(simulation.broken)]


def what_happens(effect: Effect) -> str:
    """Return the effect on one workload, such as ``member1 3 -> 0, member2 3 -> 5; 2 unplaced``."""
    shifts = ", ".join(f"{name} {before} -> {after}" for name, before, after in effect.shifts)
    return "; ".join(filter(None, (shifts, f"{effect.unplaced} unplaced" if effect.unplaced else "")))


def empty_additions(simulation: Simulation) -> Iterator[str]:
    """Yield a line for every new cluster on which nothing is placed, and why."""
    after = simulation.after
    if after.placement is None:
        return
    used = {cluster for key in after.placement for cluster in after.placement[key]}
    known = simulation.before.problem.cluster_by_name
    for cluster in after.problem.clusters:
        if cluster.name not in known and cluster.name not in used:
            parts = list(_because(after.problem.with_replicas, cluster.name))
            yield f"Nothing moves to {cluster.name}: {'; '.join(parts)}."


def _because(workloads: tuple[Workload, ...], cluster: str) -> Iterator[str]:
    rules = {one.key: one.rule(Candidates) or Candidates(()) for one in workloads}
    why = {key: rule.excluded.get(cluster) or rule.held_only.get(cluster) for key, rule in rules.items()}
    closed = {key: exclusion for key, exclusion in why.items() if exclusion is not None}
    if closed:
        (key, first), *_ = closed.items()
        where = f", {first.source}" if first.source else ""
        whom = counted(len(closed), "workload")
        yield f"it is not eligible for {whom} ({key}: it {first.reason}{where})"
    left = [one for one in workloads if one.key not in closed and stays(one)]
    if left:
        they = "it is" if len(left) == 1 else "they are"
        yield f"KubeAdmiral leaves {counted(len(left), 'running workload')} as {they}"
    open_to = [one for one in workloads if one.key not in closed and not stays(one)]
    stay = [one for one in open_to if any(one.current.values()) and not one.fresh]
    if stay:
        verb = "keeps its place" if len(stay) == 1 else "keep their places"
        yield f"{counted(len(stay), 'running workload')} {verb} (--fresh places everything anew)"
    elif open_to:
        keys = listed([one.key for one in open_to], "workload")
        yield f"it would not improve the placement of {keys}"


SCENARIOS = columns("Result", ">Unplaced", ">Violations", ">Moved", ">Lost", "~Workloads")


def scenario_table(simulation: Simulation) -> Table:
    """Return a row per scenario, the worst first."""
    what = {"drain": "cluster", "at": "autoscalers"}.get(simulation.sweep or "", simulation.sweep or "")
    return table((Column(what.capitalize()), *SCENARIOS), map(_scenario, simulation.scenarios))


def _scenario(scenario: Scenario) -> Row:
    head = Cell(scenario.name, "bold")
    if not scenario.answered:
        return head, Cell("not answered", "notice"), *(NOTHING for _ in SCENARIOS[1:])
    return (
        head,
        _result(scenario),
        missing(scenario),
        number(len(scenario.broken), "bad"),
        number(scenario.moved),
        number(scenario.lost),
        Cell(_unplaced(scenario) or "-"),
    )


def _unplaced(scenario: Scenario) -> str:
    return listed([f"{key} {count}" for key, count in scenario.unplaced.items()], "workload")


def missing(scenario: Scenario) -> Cell:
    """Say how many replicas are unplaced, and whether that is proven to be as little as can be."""
    count = sum(scenario.unplaced.values())
    return number(count, "bad") if scenario.least or not count else Cell(f"{count} so far", "bad")


def _result(scenario: Scenario) -> Cell:
    if scenario.fits:
        return Cell("fits", "good")
    return Cell("does not fit", "bad") if scenario.known else Cell("not known", "notice")


def scenario_verdict(simulation: Simulation) -> str:
    """Say of how many scenarios everything fits; empty where none was tried."""
    scenarios = simulation.scenarios
    if not scenarios:
        return ""
    every = counted(len(scenarios), "scenario")
    bad = [scenario for scenario in scenarios if scenario.answered and not scenario.fits]
    certain = [scenario for scenario in bad if scenario.known]
    worst = "".join(f"worst: {each.change}, {told(each)}" for each in (certain or bad)[:1])
    late, perhaps = sum(not scenario.answered for scenario in scenarios), len(bad) - len(certain)
    was = "was" if late == 1 else "were"
    unanswered = f"{late} {was} not answered" if late else ""
    if certain:
        placed = f"in {perhaps} not everything was placed in time" if perhaps else ""
        left = ", ".join(filter(None, (placed, unanswered)))
        more = f" Not known of {perhaps + late} more: {left}; raise the time limit." if left else ""
        return f"Does not fit in {len(certain)} of {every}; {worst}.{more}"
    if bad:
        placed = ", ".join(
            filter(None, (f"in {perhaps} of {every} not everything was placed in time", unanswered))
        )
        return f"Not known: {placed}; {worst}. Raise the time limit."
    if late == len(scenarios):
        return "Not known: no scenario was answered in time; raise the time limit."
    if late:
        others = "everything fits in the others"
        return f"Not known: {late} of {every} {was} not answered in time; {others}. Raise the time limit."
    where = "the only scenario" if len(scenarios) == 1 else f"each of the {every}"
    return f"Fits: everything can be placed in {where}."


def told(scenario: Scenario) -> str:
    """Say how much is missing or gives way in a scenario; ``fits`` where nothing does."""
    if not scenario.answered:
        return "not answered in time"
    unplaced, where = sum(scenario.unplaced.values()), f" ({_unplaced(scenario)})"
    return failures(unplaced, len(scenario.broken), where, least=scenario.least) or "fits"


def failures(unplaced: int, rules: int, where: str = "", *, least: bool) -> str:
    """Say how many replicas are unplaced, and of which workloads, and how many rules are violated.

    `least`: False where it is not proven that nothing less gives way. More may be unplaced then, too, where
    that spares what counts before it.
    """
    so_far = "" if least else " so far"
    placed = [f"{counted(unplaced, 'replica')} unplaced{so_far}{where}"] if unplaced else []
    return ", ".join([*placed, *([f"{counted(rules, 'rule')} violated"] if rules else [])])


def sweep_words(sweep: str) -> str:
    """Return the common name of the scenarios of a sweep, such as ``lose any one region``."""
    if sweep == "drain":
        return "drain any one cluster"
    if sweep == "at":
        return "scale to the minimum, and to the maximum, of every autoscaler"
    return f"lose any one {sweep}" if sweep in FIELDS else f"lose any {sweep}"
