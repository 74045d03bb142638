"""What a Python prompt and a notebook show of problems and answers: little, with units."""

from dataclasses import replace
from fractions import Fraction

import fairlead
from fairlead.models.outcome import Attained
from places import EXAMPLES

MOST = 400
"""Characters that anything public may print as: some lines of a prompt."""


def test_a_fleet_prints_short() -> None:
    """60 workloads on 12 clusters: what they are made of, and what was answered, in a line each."""
    problem = fairlead.load(EXAMPLES / "fleet")
    simulation = fairlead.simulate(problem, fairlead.Drain("eu-west-1"))
    assert repr(problem) == "Problem(12 clusters, 60 workloads, 331 replicas)"
    # A full copy on every cluster counts with all of its replicas.
    assert repr(simulation.before.placement) == "<Placement of 60 workloads, 373 replicas>"
    shown: list[object] = [problem, simulation, simulation.after]
    shown += [*problem.clusters, *problem.workloads, *simulation.after.objectives]
    shown += [simulation.after.placement, simulation.after.decisions]
    small = fairlead.load(EXAMPLES / "scale-up")
    shown += [fairlead.plan(small), *fairlead.compare(small).contenders]
    assert all(len(repr(one)) < MOST and "\n" not in repr(one) for one in shown)


def test_amounts_have_units_and_values_are_decimals() -> None:
    """The numbers are those of the manifests; fractions stay in the fields."""
    problem = fairlead.load(EXAMPLES / "scale-up")
    assert repr(problem.clusters[0]) == (
        "Cluster('berlin', provider='onprem', region='eu-central', "
        "allocatable={'cpu': '40', 'memory': '160Gi', 'pods': '220'}, "
        "free={'cpu': '8', 'memory': '64Gi', 'pods': '80'})"
    )
    assert repr(problem.workloads[0]) == (
        "Workload('prod/api', replicas=20, requests={'cpu': '1', 'memory': '2Gi'}, "
        "current={'berlin': 8, 'dresden': 3, 'frankfurt': 1}, policy='binding prod/api-deployment', "
        "rules=('Candidates', 'Total', 'Weights', 'Moves'))"
    )
    outcome = fairlead.solve(problem)
    assert repr(outcome) == "<Outcome: Optimal: no better placement exists (proven).>"
    tight = fairlead.solve(fairlead.load(EXAMPLES / "too-tight"))
    assert repr(tight) == "<Outcome: Infeasible: no placement keeps all of these rules>"
    assert repr(outcome.objectives[1]) == "Attained('deviation', 0.08, proven)"
    assert outcome.objectives[1].value == Fraction(2, 25)
    assert repr(Attained("cost", 3)) == "Attained('cost', 3, bound=None)"


def test_what_says_nothing_is_left_out() -> None:
    """0 replicas and nothing free are told; seven entries are counted; what is no amount prints as it is."""
    workload = fairlead.Workload("a/b", "b", 0, current={f"m{number}": 1 for number in range(7)})
    assert repr(workload) == "Workload('a/b', replicas=0, current=<7 entries>)"
    broken = fairlead.Workload("b", "b", 1, requests={"cpu": 0.5})  # type: ignore[dict-item]
    assert repr(broken) == "Workload('b', replicas=1, requests={'cpu': '0.5'})"
    assert repr(fairlead.Cluster("m1", free={})) == "Cluster('m1', free={})"
    assert repr(fairlead.Cluster("m1")) == "Cluster('m1')"


def test_a_notebook_shows_the_problem_as_tables() -> None:
    """Texts of the input are escaped, and of 25 clusters 20 are shown."""
    problem = fairlead.load(EXAMPLES / "scale-up")
    named = replace(problem.workloads[0], key="a/<b>")
    clusters = tuple(replace(problem.clusters[0], name=f"m{number:02}") for number in range(25))
    html = replace(problem, clusters=clusters, workloads=(named,))._repr_html_()
    assert ">25 clusters, 1 workload, 20 replicas</h1>" in html
    assert "a/&lt;b&gt;" in html
    assert "berlin 8, dresden 3 and frankfurt 1" in html
    assert "m19" in html
    assert "m20" not in html
    assert "... and 5 more clusters" in html


def test_every_answer_is_shown_in_notebooks() -> None:
    """A comparison shows the blocks of its page, and no script, which a notebook would run."""
    problem = fairlead.load(EXAMPLES / "scale-up")
    comparison = fairlead.compare(problem)
    html = comparison._repr_html_()
    assert html.startswith('<div class="fairlead notebook">')
    assert html.count("<div") == html.count("</div>")
    assert "The answers</h2>" in html
    assert "<script" not in html
    assert repr(comparison).startswith("<Comparison: ")
