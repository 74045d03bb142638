"""All cases by name: what is solved, by whom, for how long, and what has to be reached."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

from batch_cases import batch
from cases import single
from contenders import BOUNDS, EXACT, GREEDY
from fleet_cases import fleet_problem
from fleet_events import EVENTS
from mixed_cases import independent, mixed, planted, priorities
from openb_cases import openb, redrawn
from spread import over_regions

from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem

OURS = "fairlead"


@dataclass(frozen=True, slots=True)
class Bar:
    """What has to be reached.

    Parameters
    ----------
    contender
        Who has to reach it.
    seconds
        Time limit that is given; one tenth more may be used.
    gap
        Greatest distance between a value and its bound, as a part of the value, over all levels; None where
        any placement that keeps all rules will do.
    gibibytes
        Most memory of the whole process; None where that is left open.
    done_in
        Most seconds that may be used where that is less than the limit; None where it is the limit.
    leading
        True where the levels up to the moves of what keeps running have to be proven in any case, so that the
        gap is for those after them.
    """

    contender: str
    seconds: float
    gap: float | None = None
    gibibytes: float | None = None
    done_in: float | None = None
    leading: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One problem and who is asked.

    Parameters
    ----------
    name
        Family, sizes and measure.
    about
        What it is, for readers of the table.
    make
        Makes the problem of a seed, always the same; a recorded trace has no use for it.
    seconds
        Time limit of every contender.
    contenders
        Who is asked; the first is fairlead.
    bars
        What has to be reached.
    short
        Who is asked in a short run as well; nobody where the case is left out there.
    huge
        True where the case takes minutes and many gibibytes.
    """

    name: str
    about: str
    make: Callable[[int], Problem]
    seconds: float
    contenders: tuple[str, ...]
    bars: tuple[Bar, ...] = ()
    short: tuple[str, ...] = ()
    huge: bool = False


def _batches() -> list[Case]:
    """Return batches of workloads with static weights at 85 % load, by both measures."""
    return [
        _batch(workloads, clusters, deviation)
        for workloads, clusters in _LIMITS
        for deviation in (Deviation.L1, Deviation.WEBSTER)
        if workloads <= 10_000 or deviation is Deviation.L1
    ]


_LIMITS = {(50, 10): 5.0, (200, 20): 5.0, (1_000, 50): 30.0, (10_000, 100): 60.0, (100_000, 100): 300.0}

_BARS = {
    (50, Deviation.L1): (Bar(OURS, 5, 0.0, done_in=1.5),),
    (200, Deviation.L1): (Bar(OURS, 5, 0.0002),),
    (1_000, Deviation.L1): (Bar(OURS, 5, 0.0002), Bar(OURS, 30, 0.00012)),
    (1_000, Deviation.WEBSTER): (Bar(OURS, 30, 0.005),),
    (10_000, Deviation.L1): (Bar(OURS, 20, 0.0002, 4), Bar(OURS, 60, 0.00004, 4)),
    (100_000, Deviation.L1): (Bar(OURS, 300, 0.0001, 16),),
}


def _batch(workloads: int, clusters: int, deviation: Deviation) -> Case:
    """Return one of them; whole models are left out where making them alone takes longer than the limit."""
    contenders: tuple[str, ...] = (OURS, *EXACT, *BOUNDS, *GREEDY)
    if workloads > 1_000 or (workloads == 1_000 and deviation is not Deviation.L1):
        contenders = (OURS, "reference", "webster", "largest-remainder")
    if workloads > 10_000:
        contenders = (OURS,)
    return Case(
        f"batch-{workloads}x{clusters}-{deviation.value}",
        f"{workloads:,} workloads with static weights on {clusters} clusters, 85 % load, {deviation.value}",
        # So many workloads find room with one replica each only where clusters are larger than drawn.
        partial(batch, workloads, clusters, deviation=deviation, growth=10 if workloads > 10_000 else 1),
        _LIMITS[workloads, clusters],
        contenders,
        _BARS.get((workloads, deviation), ()),
        huge=workloads > 10_000,
    )


def _shares() -> list[Case]:
    """Return batches in shares: what is lost by splitting is told by a bound on the whole."""
    sizes = ((20_000, "fairlead in shares", 60.0), (100_000, "fairlead in shares on Ray", 200.0))
    return [
        Case(
            f"shares-{workloads}x100-l1",
            f"{workloads:,} workloads with static weights on 100 clusters, 85 % load, l1, in shares",
            partial(batch, workloads, 100, growth=10),
            seconds,
            (contender,),
            (Bar(contender, seconds, 0.001),),
            huge=True,
        )
        for workloads, contender, seconds in sizes
    ]


def _others() -> list[Case]:
    """Return all other cases."""
    mixed_bar = Bar(OURS, 30, 0.005)
    wholly = (OURS, *EXACT, "LP bound HiGHS", *GREEDY)
    return [
        Case(
            "mixed-1000x50",
            "1,000 workloads on 50 clusters at 85 % load, a tenth under region spread, tiers or Aggregated",
            partial(mixed, 1_000, 50),
            30,
            (OURS, "reference"),
            (mixed_bar,),
        ),
        Case(
            "tiers-1000x50",
            "1,000 workloads with two tiers each on 50 clusters at 85 % load",
            partial(mixed, 1_000, 50, share=1, kinds=("tiers",)),
            30,
            (OURS, "reference"),
            (mixed_bar,),
        ),
        Case(
            "overflow-1000x50",
            "the same where all prefer the same 20 clusters, which cannot hold them, tolerance 1 %",
            partial(mixed, 1_000, 50, share=1, kinds=("overflow",), tolerance="1%"),
            30,
            (OURS, "reference"),
            (mixed_bar,),
        ),
        Case(
            "priorities-1000x50-l1",
            "1,000 workloads of three priorities on 50 clusters at 85 % load, l1, tolerance 0.1 %",
            partial(priorities, 1_000, 50, deviation=Deviation.L1, tolerance="0.1%"),
            30,
            (OURS, "reference"),
            (mixed_bar,),
        ),
        Case(
            "priorities-1000x50-webster",
            "1,000 workloads of three priorities on 50 clusters at 85 % load, webster, tolerance 0.1 %",
            partial(priorities, 1_000, 50, tolerance="0.1%"),
            30,
            (OURS, "reference"),
            (mixed_bar,),
        ),
        Case(
            "scarce-1000x50",
            "the same at 105 % load: what is less urgent stays unplaced, tolerance 1 %",
            partial(priorities, 1_000, 50, load=1.05, tolerance="1%"),
            30,
            (OURS, "reference"),
            (mixed_bar,),
        ),
        Case(
            "openb",
            "162 workloads of the openb trace on eight clusters, 98 % of the GPUs asked for",
            _openb,
            10,
            wholly,
            (Bar(OURS, 10, 0.0001),),
        ),
        *(
            Case(
                f"openb-redrawn-{deviation.value}",
                f"as many pods drawn anew from those of the trace, {deviation.value}",
                partial(redrawn, deviation),
                10,
                wholly,
                (Bar(OURS, 10, 0.0005),),
            )
            for deviation in (Deviation.WEBSTER, Deviation.L1)
        ),
        Case(
            "planted-50x10",
            "50 workloads around a hidden placement that fills 99 % of ten clusters, l1",
            partial(planted, 50, 10),
            5,
            wholly,
            (Bar(OURS, 5),),
        ),
        Case(
            "planted-1000x50",
            "1,000 workloads around a hidden placement that fills 99 % of 50 clusters, l1",
            partial(planted, 1_000, 50),
            30,
            (OURS, "hull CP-SAT", "hull SCIP", "reference"),
            (Bar(OURS, 30),),
        ),
        Case(
            "independent-1000x50",
            "1,000 workloads on 50 clusters that do not compete, in one call",
            partial(independent, 1_000, 50),
            10,
            (OURS, "reference"),
            (Bar(OURS, 10, 0.0, done_in=1.0),),
        ),
    ]


def _uncoupled() -> list[Case]:
    """Return single workloads; how many milliseconds they take is measured more finely by `singles`."""
    singles = [
        Case(
            f"single-{clusters}",
            f"one workload with static weights and bounds on {clusters:,} clusters, l1",
            partial(_single, clusters),
            20,
            (OURS, "fairlead CP-SAT", *EXACT, "LP bound GLOP"),
        )
        for clusters in (100, 1_000, 5_000)
    ]
    spreads = [
        Case(
            f"spread-{regions}",
            f"one workload in half to three quarters of {regions} regions of four clusters",
            partial(_spread, regions),
            20,
            (OURS, "fairlead CP-SAT"),
        )
        for regions in (24, 100)
    ]
    return [*singles, *spreads]


def _fleets() -> list[Case]:
    """Return running fleets; those without an event have to be proven fast."""
    return [_fleet(workloads, clusters, event) for workloads, clusters in FLEETS for event in EVENTS]


FLEETS: Mapping[tuple[int, int], tuple[float, Bar]] = MappingProxyType(
    {
        (60, 12): (0.2, Bar(OURS, 2, 0.0)),
        (300, 30): (0.5, Bar(OURS, 5, 0.01, leading=True)),
        (1_000, 50): (1.5, Bar(OURS, 20, leading=True)),
        (5_000, 100): (10, Bar(OURS, 60, leading=True)),
    }
)
"""Sizes of fleets; in how many seconds all is proven where nothing happened, and the bar of any event."""

_HAPPENED = {
    "none": "nothing has to move",
    "scale": "a tenth grows by 30 %",
    "arrive": "a twentieth is new",
    "drain": "one is drained",
    "join": "an empty one joins",
    "shrink": "a tenth shrinks by 30 %",
}


def _fleet(workloads: int, clusters: int, event: str) -> Case:
    """Return one of them."""
    seconds, after = FLEETS[workloads, clusters]
    bar = Bar(OURS, seconds, 0.0) if event == "none" else after
    return Case(
        f"fleet-{workloads}x{clusters}-{event}",
        f"{workloads:,} running workloads of mixed policies on {clusters} clusters, {_HAPPENED[event]}",
        partial(fleet_problem, workloads, clusters, event=event),
        bar.seconds,
        (OURS, "reference", "karmada"),
        (bar,),
    )


def _openb(seed: int) -> Problem:
    """Return the trace, whatever the seed."""
    del seed
    return openb()


def _single(clusters: int, seed: int) -> Problem:
    """Return one workload over many clusters."""
    return replace(single(clusters, seed), deviation=Deviation.L1)


def _spread(regions: int, seed: int) -> Problem:
    """Return one workload that may not stand in every region."""
    return over_regions(regions, 0.75, dynamic=False, seed=seed)


_SHORT = {
    "batch-50x10-l1": (
        OURS,
        "naive CP-SAT",
        "hull CP-SAT",
        "hull SCIP",
        "LP bound HiGHS",
        "reference",
        "karmada",
    ),
    "batch-200x20-l1": (OURS, "LP bound HiGHS"),
    "batch-1000x50-l1": (OURS, "reference"),
    "openb": (OURS, "karmada"),
    "planted-50x10": (OURS, "reference"),
    "independent-1000x50": (OURS,),
    "fleet-60x12-none": (OURS, "karmada"),
    "fleet-60x12-drain": (OURS, "karmada"),
    "fleet-300x30-none": (OURS, "karmada"),
    "fleet-300x30-scale": (OURS, "karmada"),
}

CASES: Mapping[str, Case] = MappingProxyType(
    {
        case.name: replace(case, short=_SHORT.get(case.name, ()))
        for case in (*_uncoupled(), *_batches(), *_shares(), *_others(), *_fleets())
    }
)
"""All cases by name."""
