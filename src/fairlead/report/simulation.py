"""The tables that a terminal shows for a simulation: only what changes, and a count of the rest."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from fairlead.models.outcome_text import format_number, remarks
from fairlead.models.usage import Utilisation
from fairlead.models.words import counted, listed
from fairlead.report.columns import Cell, Column, Tone, printable, render, toned
from fairlead.report.table import Look
from fairlead.solver.simulate.result import Effect, Scenario, Simulation, UtilisationShift
from fairlead.solver.simulate.text import already, reasons, scenario_verdict, title, verdict

SHOWN = 20
"""Rows that a table shows before it counts the rest; a wide one shows all."""

RESOURCES = 3
"""Resources of which a table shows how full the clusters are; a wide one shows all."""

AT_ONCE = 5
"""Rules that are broken at once which are shown before the rest is counted."""

WORKLOADS = (
    Column("WORKLOAD", elastic=True),
    Column("REPLICAS", right=True),
    Column("MOVED", right=True),
    Column("LOST", right=True),
    Column("STARTED", right=True),
    Column("STOPPED", right=True),
    Column("UNPLACED", right=True),
)
SHIFTS = (
    Column("WORKLOAD", elastic=True),
    Column("CLUSTER", elastic=True),
    Column("NOW", right=True),
    Column("AFTER", right=True),
    Column("CHANGE", right=True),
)
SCENARIOS = (
    Column("RESULT"),
    Column("UNPLACED", right=True),
    Column("RULES", right=True),
    Column("MOVED", right=True),
    Column("LOST", right=True),
    Column("WORKLOADS", elastic=True),
)


def simulation_tables(simulation: Simulation, look: Look | None = None) -> str:
    """Return everything that a terminal shows for a simulation.

    Parameters
    ----------
    simulation
        The simulation.
    look
        How to print; None for plain text. Without headers one flat table for scripts is left: the scenarios,
        or else the clusters of workloads that change.
    """
    look = look or Look()
    if not look.headers:
        lines = _scenarios(simulation, look) if simulation.scenarios else _shifts(simulation, look)
        return "\n".join(lines)
    blocks = [[toned(printable(title(simulation)), "bold", colour=look.colour)]]
    if simulation.changes or not simulation.scenarios:
        blocks += [_workloads(simulation, look), _shifts(simulation, look), _clusters(simulation, look)]
        blocks += [_levels(simulation, look), _at_once(simulation, look), _verdict(simulation, look)]
    if simulation.scenarios:
        blocks += [_scenarios(simulation, look), _failing(simulation, look)]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _changing(simulation: Simulation) -> list[Effect]:
    """Return what happens to the workloads to which the changes make a difference, the gravest first."""
    found = [effect for effect in simulation.effects if effect.caused]
    return sorted(found, key=lambda one: (-one.unplaced, -one.lost - one.moved, one.workload))


def _workloads(simulation: Simulation, look: Look) -> list[str]:
    """Return a row per workload that changes, and how many do not."""
    changing = _changing(simulation)
    shown = changing if look.wide else changing[:SHOWN]
    known = simulation.after.problem.workload_by_key
    rows = [
        [Cell(one.workload, "bold"), Cell(str(known[one.workload].replicas)), *_counts(one)] for one in shown
    ]
    lines = render(WORKLOADS, rows, colour=look.colour, width=look.limit) if rows else []
    if len(shown) < len(changing):
        lines.append(
            f"... and {counted(len(changing) - len(shown), 'more workload')}; -o wide shows them all"
        )
    same = len(simulation.effects) - len(changing)
    if same:
        stay = f"To {counted(same, 'other workload')} the change makes no difference."
        lines.append(toned(stay, "dim", colour=look.colour))
    return lines


def _counts(effect: Effect) -> Iterator[Cell]:
    """Yield the numbers of one workload; zeros are quiet."""
    numbers: list[tuple[int, Tone]] = [
        (effect.moved, "notice"),
        (effect.lost, "notice"),
        (effect.started, ""),
        (effect.stopped, ""),
        (effect.unplaced, "bad"),
    ]
    yield from (Cell(str(number), tone) if number else Cell("-", "dim") for number, tone in numbers)


def _shifts(simulation: Simulation, look: Look) -> list[str]:
    """Return a row per workload and cluster where the number of replicas changes."""
    here = simulation.after.problem.cluster_by_name
    shifts = [(one.workload, *shift) for one in _changing(simulation) for shift in one.shifts]
    shown = shifts if look.wide or not look.headers else shifts[:SHOWN]
    rows = [
        (
            Cell(key),
            Cell(cluster),
            Cell(str(before)),
            Cell(str(after)) if cluster in here else Cell("gone", "notice"),
            Cell(f"{after - before:+d}", "good" if after > before else "notice"),
        )
        for key, cluster, before, after in shown
    ]
    if not rows:
        return []
    lines = render(SHIFTS, rows, headers=look.headers, colour=look.colour, width=look.limit)
    rest = len(shifts) - len(shown)
    return [*lines, f"... and {counted(rest, 'more change')}; -o wide shows them all"] if rest else lines


def _clusters(simulation: Simulation, look: Look) -> list[str]:
    """Return a row per cluster that the changes make emptier or fuller: by resource, now and after."""
    found: dict[str, dict[str, UtilisationShift]] = {}
    for shift in filter(_known, simulation.utilisation):
        found.setdefault(shift.cluster, {})[shift.resource] = shift
    changing = [name for name, shifts in found.items() if any(map(_differs, shifts.values()))]
    if not changing:
        return []
    shown = changing if look.wide else changing[:SHOWN]
    resources = _resources([found[name] for name in changing], wide=look.wide)
    columns = [Column("CLUSTER", elastic=True), *(Column(name.upper(), right=True) for name in resources)]
    rows = [[Cell(name), *(_fullness(found[name].get(one)) for one in resources)] for name in shown]
    lines = render(columns, rows, colour=look.colour, width=look.limit)
    rest = len(changing) - len(shown)
    return [*lines, f"... and {counted(rest, 'more cluster')}; -o wide shows them all"] if rest else lines


def _resources(clusters: Sequence[dict[str, UtilisationShift]], *, wide: bool) -> list[str]:
    """Return the resources to show: the fullest first where not all are."""
    fullest: dict[str, Fraction] = {}
    for shifts in clusters:
        for resource, shift in shifts.items():
            share = (shift.after and shift.after.share) or Fraction(0)
            fullest[resource] = max(share, fullest.get(resource, Fraction(0)))
    ordered = sorted(fullest, key=lambda name: (-fullest[name], name))
    return sorted(ordered if wide else ordered[:RESOURCES])


def _known(shift: UtilisationShift) -> bool:
    """Tell whether it is known how full a cluster is."""
    return any(one is not None and one.offered is not None for one in (shift.before, shift.after))


def _differs(shift: UtilisationShift) -> bool:
    """Tell whether the changes make a cluster emptier or fuller, or let it go or come."""
    here = shift.before is not None and shift.after is not None
    return shift.caused and not (here and shift.before == shift.after)


def _fullness(shift: UtilisationShift | None) -> Cell:
    """Return how full a cluster is in a resource, such as ``40% -> 95%``."""
    if shift is None:
        return Cell("-", "dim")
    before, after = _percent(shift.before, "new"), _percent(shift.after, "gone")
    share = shift.after.share if shift.after else None
    tone: Tone = (
        "bad" if share is not None and share > 1 else "notice" if share is not None and share >= 0.9 else ""
    )
    return Cell(f"{before} -> {after}" if before != after else before, tone)


def _percent(one: Utilisation | None, absent: str) -> str:
    """Return a used share in percent, rounded up; a dash where the capacity is unknown."""
    if one is None:
        return absent
    if one.share is None:
        return "-" if one.offered is None or not one.used else "over"
    return f"{-(-100 * one.share.numerator // one.share.denominator)}%"


def _levels(simulation: Simulation, look: Look) -> list[str]:
    """Return the levels of the objective before and after."""
    objectives = simulation.to_dict()["objectives"] if look.wide else []
    if not objectives:
        return []
    columns = (Column("LEVEL"), Column("BEFORE", right=True), Column("AFTER", right=True))
    rows = [(Cell(one["name"]), _value(one["before"]), _value(one["after"])) for one in objectives]
    return render(columns, rows, colour=look.colour)


def _value(value: float | None) -> Cell:
    """Return the value of a level; a dash where it is not there."""
    return Cell("-", "dim") if value is None else Cell(format_number(Fraction(value)))


def _at_once(simulation: Simulation, look: Look) -> list[str]:
    """Return the rules that are broken until the fleet is repaired."""
    broken = simulation.broken_at_once
    if not broken:
        return []
    shown = broken if look.wide else broken[:AT_ONCE]
    lines = ["Until that is repaired:", *(f"  {printable(str(violation))}" for violation in shown)]
    rest = len(broken) - len(shown)
    return [*lines, f"  ... and {counted(rest, 'more rule')}; -o wide shows them all"] if rest else lines


def _verdict(simulation: Simulation, look: Look) -> list[str]:
    """Return what comes of the changes, its first word toned, and what does not fit."""
    lines = [printable(one) for one in already(simulation)]
    lines.append(_toned_verdict(verdict(simulation), look))
    lines += map(printable, remarks(simulation.after))
    why = [printable(line) for line in reasons(simulation)]
    shown = why if look.wide else why[:SHOWN]
    lines += shown
    rest = len(why) - len(shown)
    return [*lines, f"  ... and {counted(rest, 'more line')}; -o wide shows them all"] if rest else lines


def _toned_verdict(text: str, look: Look) -> str:
    """Return a verdict with its first words toned."""
    word = "Fits" if text.startswith("Fits") else text.partition(":")[0].partition(" in ")[0]
    return f"{toned(word, 'good' if word == 'Fits' else 'bad', colour=look.colour)}{text[len(word) :]}"


def _scenarios(simulation: Simulation, look: Look) -> list[str]:
    """Return a row per scenario, the worst first."""
    shown = simulation.scenarios if look.wide or not look.headers else simulation.scenarios[:SHOWN]
    rows = [_scenario(one) for one in shown]
    what = "cluster" if simulation.sweep == "drain" else simulation.sweep or ""
    columns = (Column(what.upper()), *SCENARIOS)
    lines = render(columns, rows, headers=look.headers, colour=look.colour, width=look.limit)
    rest = len(simulation.scenarios) - len(shown)
    return [*lines, f"... and {counted(rest, 'more scenario')}; -o wide shows them all"] if rest else lines


def _scenario(scenario: Scenario) -> list[Cell]:
    """Return the row of one scenario."""
    missing = sum(scenario.unplaced.values())
    result = Cell("fits", "good") if scenario.fits else Cell("does not fit", "bad")
    numbers: list[tuple[int, Tone]] = [
        (missing, "bad"),
        (len(scenario.broken), "bad"),
        (scenario.moved, ""),
        (scenario.lost, ""),
    ]
    return [
        Cell(scenario.name, "bold"),
        result,
        *(Cell(str(number), tone) if number else Cell("-", "dim") for number, tone in numbers),
        Cell(listed([f"{key} {count}" for key, count in scenario.unplaced.items()], "workload") or "-"),
    ]


def _failing(simulation: Simulation, look: Look) -> list[str]:
    """Return the verdict on all scenarios, and which rules give way in the worst of them."""
    lines = [] if simulation.changes else [printable(one) for one in already(simulation)]
    lines.append(_toned_verdict(printable(scenario_verdict(simulation)), look))
    bad = [one for one in simulation.scenarios if one.broken]
    for scenario in bad if look.wide else bad[:AT_ONCE]:
        lines.append(f"{printable(str(scenario.change))}:")
        shown = scenario.broken if look.wide else scenario.broken[:AT_ONCE]
        lines += [f"  {printable(text)}" for text in shown]
        if len(shown) < len(scenario.broken):
            lines.append(f"  ... and {len(scenario.broken) - len(shown)} more; -o wide shows them all")
    return lines
