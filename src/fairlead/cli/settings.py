"""Options of the commands that solve."""

from collections.abc import Callable

import click

from fairlead.cli.options import TimeLimit

Command = Callable[..., int]

_OPTIONS = (
    click.option(
        "--time-limit",
        type=TimeLimit(),
        default="10",
        show_default=True,
        metavar="SECONDS",
        help="Stop after so many seconds with the best placement found; 0 or none: no limit.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="Threads of the solver.  [default: one per core]",
    ),
    click.option(
        "--seed",
        type=click.IntRange(0, 2**31 - 1),
        metavar="N",
        default=0,
        show_default=True,
        help="Random seed.",
    ),
    click.option(
        "--deviation",
        type=click.Choice(["webster", "l1", "minimax"]),
        help="Measure of the distance from the wanted ratio.  [default: what the input says]",
    ),
    click.option(
        "--method",
        type=click.Choice(["auto", "exact", "cp-sat"]),
        default="auto",
        show_default=True,
        help="Exact allocation, CP-SAT, or whatever fits.",
    ),
    click.option(
        "--fresh/--steady",
        default=None,
        help="Place as if a reschedule had been asked for, or keep what runs."
        "  [default: what the input says]",
    ),
    click.option(
        "--engine",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="Where parts and neighbourhoods are searched: this machine, or a Ray cluster (RAY_ADDRESS).",
    ),
    click.option(
        "--partitions",
        type=click.IntRange(min=1),
        metavar="N",
        help="Split workloads that compete into so many shares, where they are too many for one machine.",
    ),
    click.option("--partial", is_flag=True, help="Place what can be placed where not everything can."),
)


def leaves_untriggered(command: Command) -> Command:
    """Give a command the option to leave what KubeAdmiral would leave; it receives ``as_triggered``."""
    return click.option(
        "--as-triggered",
        is_flag=True,
        help="Leave workloads as they run that KubeAdmiral would not look at again (rescheduleWhen).",
    )(command)


def takes_settings(command: Command) -> Command:
    """Give a command the options of a search; it receives them under the names that `solve` has for them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
