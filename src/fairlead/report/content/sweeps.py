"""Scenarios of a sweep: a row for each, and a verdict on all."""

from fairlead.models.words import counted, listed
from fairlead.report.blocks import NOTHING, Cell, Column, Row, Table, columns, number, table
from fairlead.solver.simulate.result import Simulation
from fairlead.solver.simulate.scenario import Scenario

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
        missing(scenario),
        number(len(scenario.broken), "bad"),
        number(scenario.moved),
        number(scenario.lost),
        Cell(listed(unplaced, "workload") or "-"),
    )


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
    where = listed([f"{key} {count}" for key, count in scenario.unplaced.items()], "workload")
    unplaced, rules = sum(scenario.unplaced.values()), len(scenario.broken)
    return failures(unplaced, rules, f" ({where})", least=scenario.least) or "fits"


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
    return (
        f"lose any one {sweep}" if sweep in ("cluster", "region", "zone", "provider") else f"lose any {sweep}"
    )
