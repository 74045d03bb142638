"""The scenarios of a simulation: what each of many losses or drains comes to, the worst first."""

from collections.abc import Iterator, Mapping

from fairlead.models.words import counted, listed
from fairlead.report.blocks import NOTHING, Cell, Column, Row, Table, columns, number, table
from fairlead.solver.simulate.result import Scenario, Simulation

SCENARIOS = columns("Result", ">Unplaced", ">Violations", ">Moved", ">Lost", "~Workloads")


def scenario_table(simulation: Simulation) -> Table:
    """Return a row per scenario, the worst first."""
    what = {"drain": "cluster", "at": "autoscalers"}.get(simulation.sweep or "", simulation.sweep or "")
    return table((Column(what), *SCENARIOS), map(_scenario, simulation.scenarios))


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
        Cell("fits", "good") if scenario.fits else Cell("does not fit", "bad"),
        number(sum(scenario.unplaced.values()), "bad"),
        number(len(scenario.broken), "bad"),
        number(scenario.moved),
        number(scenario.lost),
        Cell(listed(unplaced, "workload") or "-"),
    )


def scenario_verdict(simulation: Simulation) -> str:
    """Say of how many scenarios everything fits; empty where none was tried."""
    scenarios = simulation.scenarios
    if not scenarios:
        return ""
    every = counted(len(scenarios), "scenario")
    bad = [scenario for scenario in scenarios if scenario.answered and not scenario.fits]
    late = sum(not scenario.answered for scenario in scenarios)
    if bad:
        unknown = f"; {late} not answered in time" if late else ""
        worst = f"worst: {bad[0].change}, {told(bad[0])}"
        return f"Does not fit in {len(bad)} of {every}; {worst}{unknown}."
    if late == len(scenarios):
        return "Not known: no scenario was answered in time; raise the time limit."
    if late:
        return f"Not known: {late} of {every} were not answered in time, everything fits in the others."
    return f"Fits: everything can be placed in each of the {every}."


def told(scenario: Scenario) -> str:
    """Say what is missing or gives way in a scenario; ``fits`` where nothing does."""
    if not scenario.answered:
        return "not answered in time"
    return ", ".join(failures(scenario.unplaced, len(scenario.broken))) or "fits"


def failures(unplaced: Mapping[str, int], rules: int) -> Iterator[str]:
    """Yield what does not fit: unplaced replicas by workload, other rules by number."""
    if unplaced:
        where = listed([f"{key} {count}" for key, count in unplaced.items()], "workload")
        yield f"{counted(sum(unplaced.values()), 'replica')} unplaced ({where})"
    if rules:
        yield f"{counted(rules, 'rule')} violated"


def sweep_words(sweep: str) -> str:
    """Return what the scenarios of a sweep have in common, such as ``lose any one region``."""
    if sweep == "drain":
        return "drain any one cluster"
    if sweep == "at":
        return "scale to the minimum, and to the maximum, of every autoscaler"
    return (
        f"lose any one {sweep}" if sweep in ("cluster", "region", "zone", "provider") else f"lose any {sweep}"
    )
