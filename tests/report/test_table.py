"""What the terminal shows, letter by letter."""

from dataclasses import replace

import pytest

from fairlead.models.check import check
from fairlead.models.cluster import Cluster
from fairlead.models.outcome import Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.quantity import short_amount
from fairlead.models.rules import Candidates, Capacity, Total
from fairlead.models.words import escaped
from fairlead.models.workload import Workload
from fairlead.report.blocks import Cell, Column, cells, columns
from fairlead.report.renderer import terminal
from fairlead.report.terminal import Look, Rows, render
from hand_made import clusters, duplicated, feasible, infeasible, many, nginx, problem, solved

EVERY = Look(picked=Rows(every=True))
NARROW = """\
default/nginx: 11 replicas, policy default/nginx
CLUSTER  REGION   REPLICAS  CHANGE  BY WEIGHT  HEADROOM
member1  us-east         3      -1       1.83  17 more (cpu 8.5)
member2  us-east         6      +2       3.67  6 more (cpu 3)
member3  eu-west         2      +2       5.50  at capacity (cpu 0)
1 cluster is not eligible (-o wide says why)

OBJECTIVE   VALUE  LOWER BOUND  PROOF
deviation  4.4545       4.4545  proven
moves           1            1  proven

Optimal: no better placement exists (proven).
1 workload changes, 1 replica moves, 3 started, 0 unplaced."""

WIDE_REASONS = """\
REASON
at its minimum of 3
its share is 3.67 (weight 2 of 6); member3 holds less than its share
at capacity (0 cpu free, 500m per replica)
had untolerated taint {gpu}"""

INFEASIBLE = """\
Infeasible: no placement keeps all of these rules:
  policy default/nginx: member3 needs at least 4 (pp.yaml:31)
  member3 has capacity for 2 of default/nginx (1000m cpu free, 500m per replica) (clusters.yaml:12)
This change fixes it:
  lower the minimum of member3 to 2 (pp.yaml:31)"""

SCRIPT = """\
default  nginx  member1  us-east  3  -1  1.83  17 more (cpu 8.5)
default  nginx  member2  us-east  6  +2  3.67  6 more (cpu 3)
default  nginx  member3  eu-west  2  +2  5.50  at capacity (cpu 0)"""

COMPACT = """\
NAMESPACE  NAME    REPLICAS  CLUSTERS             STATUS
team       app-00         3  member1:1,member2:2  new
team       app-01         3  member1:1,member2:2  unchanged
team       app-02         3  member1:1,member2:2  changed +1 -1"""


def test_table_of_a_workload() -> None:
    """One workload gets its title, its clusters, its levels and the verdict."""
    # left: member1 has 8000m free and stops one of four, 8500m; member2 has 4000m and starts two, 3000m
    assert terminal(solved()) == NARROW


def test_wide_table_has_every_cluster_and_reason() -> None:
    """Wide adds bounds and reasons, and the excluded cluster."""
    lines = terminal(solved(), Look(wide=True)).splitlines()[1:6]
    column = lines[0].index("REASON")
    assert "\n".join(line[column:] for line in lines) == WIDE_REASONS
    assert lines[0].split()[:4] == ["CLUSTER", "PROVIDER", "REGION", "ZONES"]
    assert lines[1].split()[:4] == ["member1", "aws", "us-east", "a,b"]


def test_wide_table_is_never_cut() -> None:
    """Who asks for everything gets everything, also on a narrow terminal."""
    assert terminal(solved(), Look(wide=True, width=40)) == terminal(solved(), Look(wide=True))


def test_rows_for_scripts() -> None:
    """Without headers there are only rows, each with namespace and name, and no blank cells."""
    assert terminal(solved(), Look(headers=False)) == SCRIPT
    new = replace(solved(), problem=problem(nginx()))
    assert all(line.split()[5] == "-" for line in terminal(new, Look(headers=False)).splitlines())


def test_a_conflict_is_no_row() -> None:
    """Without a placement the conflict is the result; scripts, which ask for rows only, get none."""
    assert terminal(infeasible()) == INFEASIBLE
    assert terminal(infeasible(), Look(headers=False)) == ""


def test_many_workloads_are_one_row_each() -> None:
    """More than ten workloads share one table, unless wide is asked for."""
    shown = terminal(many(12), EVERY).partition("\n\n")[2]
    assert shown.startswith(COMPACT)
    assert len(shown.splitlines()) == 15  # header, 12 rows, a blank line, the verdict
    assert "CLUSTERS" not in terminal(many(10))
    assert "CLUSTERS" not in terminal(many(12), Look(wide=True))


def test_the_first_rows_of_a_large_fleet() -> None:
    """Sixty of ninety change: a page of them, and how many more; all for who asks, and for scripts."""
    shown = terminal(many(90))
    assert shown.count("team  ") == 30
    assert (
        "... and 30 more workloads (-A shows all)\n30 other workloads do not change (-A shows them)." in shown
    )
    assert terminal(many(90), EVERY).count("team  ") == 90
    assert terminal(many(90), Look(headers=False)).count("team  ") == 90


def test_status_of_workloads_that_are_not_whole() -> None:
    """What is missing or broken shows in the status."""
    outcome = many(12)
    assert outcome.placement is not None
    replicas = outcome.placement.to_dict() | {"team/app-00": {"member1": 1}, "team/app-01": {"member3": 3}}
    short = replace(outcome, status=Status.INFEASIBLE, placement=Placement(replicas))
    assert short.placement is not None
    lines = terminal(replace(short, violations=check(short.problem, short.placement))).splitlines()
    assert lines[3].endswith("2 unplaced")
    assert lines[4].endswith("violates a rule")


def test_levels_without_proof() -> None:
    """A gap is told where a bound is known, a dash where none is."""
    lines = terminal(feasible()).splitlines()
    assert lines[8].split() == ["deviation", "4.4545", "4", "gap", "10%"]
    assert lines[9].split() == ["moves", "1", "-", "-"]


def test_copies_have_no_share() -> None:
    """A duplicated workload has neither a wanted share nor one that it got."""
    outcome = Outcome(
        Status.OPTIMAL,
        "exact",
        problem(duplicated()),
        Placement({"default/proxy": {"member1": 2, "member2": 2}}),
    )
    lines = terminal(outcome).splitlines()
    assert lines[0] == "default/proxy: 2 replicas per cluster"
    assert lines[2].split() == ["member1", "us-east", "2", "98", "more", "(pods", "98)"]


def test_idle_candidates_are_counted_not_listed() -> None:
    """Hundreds of clusters without replicas do not push the others off the screen."""
    names = tuple(f"c{index:03}" for index in range(200))
    workload = Workload("x", "x", 1, rules=(Candidates(names), Total()))
    large = Problem(tuple(Cluster(name) for name in names), (workload,), (Capacity(),))
    lines = terminal(Outcome(Status.OPTIMAL, "exact", large, Placement({"x": {"c007": 1}}))).splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["x:", "CLUSTER", "c007"]
    assert lines[3] == "and 199 eligible clusters without replicas (-o wide shows them)"


def test_clusters_that_are_gone_show_what_stops() -> None:
    """Replicas on clusters that are excluded, or not in the input, are shown as stopped."""
    gone = replace(solved(), problem=problem(nginx(current={"lost": 2, "member4": 3, "member1": 3})))
    changes = {row[0]: row[3] for row in map(str.split, terminal(gone).splitlines()[2:7])}
    assert changes == {"lost": "-2", "member1": "0", "member2": "+6", "member3": "+2", "member4": "-3"}
    assert "not in the input" in terminal(gone, Look(wide=True))


def test_no_colour_unless_asked_for() -> None:
    """Escape codes appear only with colour, and taking them out gives the plain text."""
    plain, toned = terminal(solved()), terminal(solved(), Look(colour=True))
    assert "\033" not in plain
    assert "\033[32mproven\033[0m" in toned
    for code in ("\033[0m", "\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[33m"):
        toned = toned.replace(code, "")
    assert toned == plain


def test_a_table_is_turned_in_colour_too() -> None:
    """Escape codes take no room: what fits turned in plain text is turned with tones as well."""
    heads = columns("Scheduler", *(f">Level number {number}" for number in range(8)))
    rows = [(Cell("best", "bold"), *(Cell("12345678", "good") for _ in range(8)))]
    plain = render(heads, rows, Look(width=40))
    assert plain[0].split() == ["SCHEDULER", "BEST"]
    assert len(render(heads, rows, Look(width=40, colour=True))) == len(plain) == 9


@pytest.mark.parametrize("width", [60, 52])
def test_elastic_column_fits_the_terminal(width: int) -> None:
    """The longest row needs 63 characters, or 52 with its clusters in two lines: nothing is cut."""
    lines = terminal(many(12), Look(width=width)).splitlines()
    assert max(map(len, lines)) <= width
    at = next(number for number, line in enumerate(lines) if "app-00" in line)
    assert [line.split()[-1] for line in lines[at : at + 2]] == ["new", "member2:2"]
    assert "member1:1," in lines[at]


def test_names_are_cut_last() -> None:
    """39 characters hold a name of 25 and a list whose items stand below one another; 26 do not."""
    columns = (Column("Workload", elastic=True), Column("More", elastic=True))
    row = (Cell("a-name-of-many-characters"), Cell("+1 left, +12 right"))
    assert render(columns, [row], Look(width=39))[1:] == [
        "a-name-of-many-characters  +1 left,",
        "                           +12 right",
    ]
    assert render(columns, [row], Look(width=26))[1:] == [
        "a-name-of-... +1 left,",
        "              +12 right",
    ]


def test_what_an_elastic_column_has_no_room_for_stands_below() -> None:
    """Of 30 characters eleven are left for the list: it is broken at its comma, not between sign and name."""
    columns = (Column("Workload"), Column("More", elastic=True))
    row = (Cell("a-long-workload"), Cell("+1 left, +12 right", "good"))
    assert render(columns, [row], Look(width=30)) == [
        "WORKLOAD         MORE",
        "a-long-workload  +1 left,",
        "                 +12 right",
    ]
    assert render(columns, [row], Look(wide=True))[1] == "a-long-workload  +1 left, +12 right"


def test_headers_are_broken_where_the_line_is_too_long() -> None:
    """Of a table of numbers the header takes most; in two lines it needs twelve characters, not 22."""
    columns = (Column("Scheduler"), Column("Deviation from weights", right=True))
    rows = [(Cell("best"), Cell("9.7"))]
    assert render(columns, rows, Look(width=32)) == [
        "SCHEDULER     DEVIATION",
        "           FROM WEIGHTS",
        "best                9.7",
    ]
    assert len(render(columns, rows, Look(width=33))) == 2


def test_columns_that_say_nothing_are_left_out_where_the_line_is_too_long() -> None:
    """All columns take 24 characters: nothing was lost, and the table stands closer."""
    columns = (Column("Workload"), Column("Lost", right=True), Column("Unplaced", right=True))
    rows = [(Cell("web"), Cell("-", "dim"), Cell("2")), (Cell("api"), Cell("-", "dim"), Cell("-", "dim"))]
    assert render(columns, rows, Look(width=24))[1:] == [
        "web          -         2",
        "api          -         -",
    ]
    assert render(columns, rows, Look(width=23)) == [
        "WORKLOAD UNPLACED",
        "web             2",
        "api             -",
    ]


@pytest.mark.parametrize("width", [60, 80])
def test_sentences_are_broken_between_words(width: int) -> None:
    """What is wrong, and what would help, fits the terminal; joined again it reads as on a wide one."""
    narrow = terminal(infeasible(), Look(width=width)).splitlines()
    assert max(map(len, narrow)) <= width
    assert " ".join(" ".join(narrow).split()) == " ".join(terminal(infeasible(), Look(wide=True)).split())


def test_every_line_fits_80_columns() -> None:
    """The plain table of ordinary names needs no more than 80 columns."""
    assert max(map(len, terminal(solved()).splitlines())) <= 80


def test_control_characters_of_the_input_do_not_reach_the_terminal() -> None:
    """A region may hold any text; escape codes in it are shown as such."""
    evil = (replace(clusters()[0], region="us\033[2J\neast"), *clusters()[1:])
    outcome = replace(solved(), problem=replace(solved().problem, clusters=evil))
    assert r"us\x1b[2J\x0aeast" in terminal(outcome)
    assert escaped("a\tb\u202e") == r"a\x09b\u202e"


def test_columns_align() -> None:
    """Texts stand left, numbers right, two spaces between, no trailing blanks."""
    columns = (Column("NAME"), Column("N", right=True), Column("REST"))
    rows = [(Cell("a"), Cell("1"), Cell("")), (Cell("long"), Cell("200"), Cell("x", "good"))]
    assert render(columns, rows, Look()) == ["NAME    N  REST", "a       1", "long  200  x"]
    assert render(columns, rows, Look(headers=False, colour=True))[1] == "long  200  \033[32mx\033[0m"


@pytest.mark.parametrize(
    ("resource", "units", "shown"),
    [
        ("cpu", 0, "0"),
        ("cpu", 999, "999m"),
        ("cpu", 3999, "3.9"),  # rounded down: 4 would be more than there is
        ("cpu", 12000, "12"),
        ("memory", 12 * 2**30, "12Gi"),
        ("memory", 12 * 2**30 - 1, "11.9Gi"),
        ("memory", 500, "500"),
        ("memory", 0, "0"),
        ("pods", 1234567, "1234567"),
        ("nvidia.com/gpu", 3, "3"),
    ],
)
def test_amounts_are_short_and_never_too_much(resource: str, units: int, shown: str) -> None:
    """Amounts have at most one decimal and are rounded down."""
    assert short_amount(resource, units) == shown


def test_columns_that_belong_together_are_one_rather_than_cut() -> None:
    """At 60 characters, names of workloads stay whole: what stops and what starts is one list."""
    heads = columns("~Workload", ">Replicas", ">Lost", ">Unplaced", "~Fewer", "&More")
    row = cells("payments/api", 16, 7, 1, "-4 eu-west-2, -3 eu-west-1", "+4 eu-central-2, +3 eu-central-1")
    only = cells("ml/api", 1, 1, 1, "-1 eu-west-1", "-")
    assert render(heads, [row, only], Look(width=60)) == [
        "WORKLOAD     REPLICAS LOST UNPLACED FEWER, MORE",
        "payments/api       16    7        1 -4 eu-west-2,",
        "                                    -3 eu-west-1,",
        "                                    +4 eu-central-2,",
        "                                    +3 eu-central-1",
        "ml/api              1    1        1 -1 eu-west-1",
    ]
    assert render(heads, [row], Look(width=120))[0].split()[-2:] == ["FEWER", "MORE"]
