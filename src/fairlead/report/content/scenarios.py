"""Scenarios of a simulation, and new clusters: what each of many losses comes to, and why nothing moves."""

from collections.abc import Iterator

from fairlead.models.rules import Candidates
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.triggers import stays
from fairlead.models.words import counted, listed
from fairlead.models.workload import Workload
from fairlead.report.blocks import NOTHING, Cell, Column, Row, Table, columns, number, table
from fairlead.solver.simulate.result import Scenario, Simulation

SCENARIOS = columns("Result", ">Unplaced", ">Violations", ">Moved", ">Lost", "~Workloads")


def scenario_table(simulation: Simulation) -> Table:
    """Return a row per scenario, the worst first."""
    what = {"drain": "cluster", "at": "autoscalers"}.get(simulation.sweep or "", simulation.sweep or "")
    return table((Column(what.capitalize()), *SCENARIOS), map(_scenario, simulation.scenarios))


def _scenario(scenario: Scenario) -> Row:
    if not scenario.answered:
        return (
            Cell(scenario.name, "bold"),
            Cell("not answered", "notice"),
            *(NOTHING for _ in SCENARIOS[1:]),
        )
    unplaced = [f"{key} {count}" for key, count in scenario.unplaced.items()]
    return (
        Cell(scenario.name, "bold"),
        _result(scenario),
        number(sum(scenario.unplaced.values()), "bad"),
        number(len(scenario.broken), "bad"),
        number(scenario.moved),
        number(scenario.lost),
        Cell(listed(unplaced, "workload") or "-"),
    )


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
    """Say what is missing or gives way in a scenario; ``fits`` where nothing does."""
    if not scenario.answered:
        return "not answered in time"
    where = listed([f"{key} {count}" for key, count in scenario.unplaced.items()], "workload")
    return failures(sum(scenario.unplaced.values()), len(scenario.broken), f" ({where})") or "fits"


def failures(unplaced: int, rules: int, where: str = "") -> str:
    """Say how many replicas are unplaced, and of which workloads, and how many rules are violated."""
    placed = [f"{counted(unplaced, 'replica')} unplaced{where}"] if unplaced else []
    return ", ".join([*placed, *([f"{counted(rules, 'rule')} violated"] if rules else [])])


def sweep_words(sweep: str) -> str:
    """Return what the scenarios of a sweep have in common, such as ``lose any one region``."""
    if sweep == "drain":
        return "drain any one cluster"
    if sweep == "at":
        return "scale to the minimum, and to the maximum, of every autoscaler"
    return (
        f"lose any one {sweep}" if sweep in ("cluster", "region", "zone", "provider") else f"lose any {sweep}"
    )


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
    closed = {one.key: found for one in workloads if (found := _exclusion(one, cluster)) is not None}
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


def _exclusion(workload: Workload, cluster: str) -> Exclusion | None:
    """Return why a cluster takes nothing new of a workload; None where it does."""
    rule = workload.rule(Candidates)
    if rule is None:
        return None
    return rule.excluded.get(cluster) or rule.held_only.get(cluster)
