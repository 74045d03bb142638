"""What people and programs see of why a workload stands where it stands, and how they ask."""

import json
import pickle
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
import yaml

import fairlead
from fairlead.cli.app import main
from fairlead.models.cluster import Cluster
from fairlead.models.errors import UsageError
from fairlead.models.names import find_cluster, find_workload
from fairlead.models.outcome import ClusterDecision, Outcome, Status
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Total, Weights
from fairlead.models.workload import Workload
from fairlead.report.content.why import gain_lines, short, told
from fairlead.report.renderer import terminal
from fairlead.report.terminal import Look
from fairlead.solver.why.answer import ClusterWhy, Gain, Possible, Shift, Step, Why
from hand_made import duplicated, infeasible, nginx, problem
from places import EXAMPLES

TABLE = """\
default/nginx: 11 replicas, policy default/nginx
CLUSTER  REPLICAS  ONE MORE           ONE LESS           REASON
member1         3  deviation +0.8182  not possible       at its minimum of 3
member2         6  deviation +3       deviation +0.8182  its share is 3.67
                                                         (weight 2 of 6);
                                                         member3 holds less than
                                                         its share
member3         2  not possible       deviation +3       at capacity (0 cpu
                                                         free, 500m per replica)
one more is not possible on member3: at capacity (1 cpu in total, 500m per
  replica)
one less is not possible on member1: at its minimum of 3 (pp.yaml:31)

3/4 clusters are available: 1 cluster(s) had untolerated taint {gpu}
  member4: had untolerated taint {gpu} (clusters.yaml:40)

Changing one of these by one would improve the placement:
  capacity for one more replica on member3 lowers deviation from 4.4545 to
    2.3636
  placing 10 instead of 11 replicas lowers deviation from 4.4545 to 3.7
    (pp.yaml:3)"""


def explained(cluster: str | None = None) -> Why:
    """Return why nginx stands where it stands."""
    return fairlead.why(problem(), "nginx", cluster)


def test_table() -> None:
    """Candidates with what a step costs, the others in Karmada's sentence; reasons are broken, not cut."""
    assert terminal(explained(), Look(width=80)) == TABLE


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_nothing_is_wider_than_the_terminal(width: int) -> None:
    """Every line fits; where there is no room for the table, sentences take its place."""
    lines = terminal(explained(), Look(width=width)).splitlines()
    assert max(map(len, lines[1:])) <= width
    assert ("ONE MORE" in lines[1]) == (width >= 80)
    assert "member3 holds less than its share" in " ".join(" ".join(lines).split())


def test_wide_and_bare_tables() -> None:
    """A wide table breaks no line; without headers only rows are left, the excluded cluster among them."""
    assert "its share is 3.67 (weight 2 of 6); member3 holds less than its share" in terminal(
        explained(), Look(wide=True, width=40)
    )
    bare = terminal(explained(), Look(headers=False)).splitlines()
    assert [line.split()[0] for line in bare] == ["member1", "member2", "member3", "member4"]


def test_one_cluster() -> None:
    """Asked for one cluster, whole sentences say what changes and who gives way."""
    text = terminal(explained("member2"), Look(width=80))
    assert "member2 holds 6 replicas: its share is 3.67" in text
    assert "  one more: deviation +3 (from 4.4545 to 7.4545); 1 from member3" in text
    assert "  one less: deviation +0.8182 (from 4.4545 to 5.2727); 1 to member1" in text
    text = terminal(explained("member4"))
    assert "member4 is not eligible: it had untolerated taint {gpu}" in text


def test_many_idle_candidates_are_counted() -> None:
    """Candidates without replicas are counted where there are many; a wide table shows them."""
    names = tuple(f"member{number:02}" for number in range(12))
    rules = (Candidates(names), Total(), Weights(dict.fromkeys(names, 1)))
    asking = Problem(tuple(map(Cluster, names)), (Workload("web", "web", 2, rules=rules),))
    why = fairlead.why(asking, "web")
    assert "... and 10 eligible clusters without replicas; -o wide shows them" in terminal(why)
    assert "member11" in terminal(why, Look(wide=True))


def test_text_and_html_say_the_same() -> None:
    """The renderings in Python have the words of the table; HTML is escaped."""
    why = explained()
    for words in ("at its minimum of 3", "1 from member2", "placing 10 instead of 11 replicas"):
        assert words in str(why)
        assert words in why._repr_html_()
    assert "not possible: at its minimum of 3 (pp.yaml:31)" in str(why)
    odd = replace(why.clusters[0], decision=ClusterDecision("a<b>", selected=True, replicas=1, reason="<i>"))
    html = replace(why, clusters=(odd,))._repr_html_()
    assert "a&lt;b&gt;" in html
    assert "<i>" not in html


def test_infeasible_is_told_with_its_conflict() -> None:
    """Without a placement there are no steps, but the conflict and the ways out."""
    outcome = infeasible()
    decisions = outcome.decisions["default/nginx"]
    clusters = tuple(ClusterWhy(each, each.cluster != "member4") for each in decisions)
    why = Why(outcome, "default/nginx", clusters)
    text = terminal(why)
    assert "ONE MORE" not in text
    assert "member3         0  nothing is placed: policy default/nginx: member3 needs at least 4" in text
    assert "Infeasible: no placement keeps all of these rules:" in text
    assert "lower the minimum of member3 to 2 (pp.yaml:31)" in text
    assert list(gain_lines(why)) == []
    assert "member3 needs at least 4 (pp.yaml:31)" in str(why)
    one = replace(why, clusters=clusters[2:3], asked="member3")
    assert "member3: nothing is placed: policy default/nginx: member3 needs at least 4" in terminal(one)
    assert "member3: nothing is placed: policy default/nginx: member3 needs at least 4" in str(why)


def test_words_of_steps() -> None:
    """Ties, unproven costs and what others do."""
    shifts = (
        Shift("a", 2, "m1", "m2"),
        Shift("a", 1, "m3", "m4"),
        Shift("b", 1, None, "m1"),
        Shift("c", 1, "m1", None),
        Shift("d", 1, "m1", "m2"),
    )
    step = Step(Possible.YES, 2, "cost", Fraction(1, 2), Fraction(1, 4), proven=False, shifts=shifts)
    assert told(step, "m2") == (
        "cost at most +0.25 (from 0.5 to 0.75); 2 from m1; moves 1 from m3 to m4; "
        "b gets 1 more on m1; and 2 more changes"
    )
    assert told(step._replace(shifts=shifts[3:]), "m9").endswith("; loses 1 on m1; d moves 1 from m1 to m2")
    assert short(Step(Possible.YES, 1, change=0, proven=True)) == "no cost"
    assert short(Step(Possible.YES, 1, change=0)) == "no known cost"
    assert short(Step(Possible.UNKNOWN, reason="not looked at in time")) == "unknown"


def test_words_of_bounds() -> None:
    """Long lists are counted; where nothing helps it is said; one that could be better still says so."""
    why = explained()
    gains = tuple(Gain(f"action {number}", "cost", 3, 1, proven=False) for number in range(4))
    assert list(gain_lines(replace(why, gains=gains), 1)) == [
        "Changing one of these by one would improve the placement:",
        "  action 0 lowers cost from 3 to at most 2",
        "  ... and 3 more; -o wide shows them all",
    ]
    assert list(gain_lines(replace(why, gains=()))) == [
        "Changing any single limit by one would not improve the placement."
    ]
    assert list(gain_lines(replace(why, gains=(), untried=1))) == ["1 limit could not be tried in time."]


def test_document() -> None:
    """The document is JSON, keeps exact numbers, and has the words of the table."""
    why = explained()
    document = why.to_dict()
    assert json.loads(json.dumps(document)) == document
    first = document["clusters"][0]
    assert (first["clusterName"], first["replicas"], first["reason"]) == ("member1", 3, "at its minimum of 3")
    assert (first["oneMore"]["exactChange"], first["oneMore"]["level"]) == ("9/11", "deviation")
    assert first["oneMore"]["shifts"] == [
        {"workload": "default/nginx", "replicas": 1, "from": "member2", "to": "member1"}
    ]
    assert first["oneLess"]["possible"] == "No"
    assert first["oneLess"]["source"] == "pp.yaml:31"
    assert (document["clusters"][3]["candidate"], document["clusters"][3]["oneMore"]) == (False, None)
    assert document["gains"][0]["exactGain"] == "23/11"
    assert document["available"].startswith("3/4 clusters are available: ")
    assert document["workload"]["key"] == "default/nginx"


def test_answers_are_values() -> None:
    """An explanation survives the way between processes."""
    why = explained()
    again = pickle.loads(pickle.dumps(why))
    assert (again.clusters, again.gains) == (why.clusters, why.gains)


def named(*keys: str) -> Problem:
    """Return workloads by key; a key of three parts starts with the kind."""
    workloads = []
    for key in keys:
        *front, name = key.split("/")
        kind = front[0] if len(front) == 2 else "Deployment"
        workloads.append(Workload(key, name, 1, front[-1] if front else "", kind=kind))
    return Problem((Cluster("member1"),), tuple(workloads))


@pytest.mark.parametrize(
    ("name", "namespaces", "key"),
    [
        ("shop", (), "a/shop"),
        ("a/shop", (), "a/shop"),
        ("web", ("b",), "b/web"),
        ("b/web", (), "b/web"),
        ("deployment/shop", (), "a/shop"),
        ("deploy/shop", (), "a/shop"),
        ("deployments.apps/shop", (), "a/shop"),
        ("Deployment/b/web", (), "b/web"),
        ("sts/db", ("b",), "StatefulSet/b/db"),
        ("StatefulSet/b/db", (), "StatefulSet/b/db"),
        ("b/cache", (), "StatefulSet/b/cache"),
        ("root", (), "root"),
    ],
)
def test_workloads_are_named_as_at_kubectl(name: str, namespaces: Sequence[str], key: str) -> None:
    """By key, namespace/name, name, or kind/name, where that is one workload only."""
    many = named("a/shop", "a/web", "b/web", "StatefulSet/b/db", "Job/b/db", "StatefulSet/b/cache", "root")
    assert find_workload(many, name, namespaces).key == key


@pytest.mark.parametrize(
    ("name", "namespaces", "message"),
    [
        ("shp", (), "no workload 'shp'; did you mean a/shop?"),
        ("shop", ("b",), "no workload 'shop' in namespace b; there is a/shop"),
        ("web", (), "'web' matches several workloads: a/web, b/web; name one of them"),
        ("job/shop", (), "no workload 'job/shop'; did you mean a/shop?"),
        ("zzz", (), "no workload 'zzz'; known: a/shop, a/web, b/web"),
        ("x/y/z/shop", (), "no workload 'x/y/z/shop'; did you mean a/shop?"),
        ("web", ("zzz",), "no workload 'web' in namespace zzz; there is a/web, b/web"),
    ],
)
def test_unknown_workloads(name: str, namespaces: Sequence[str], message: str) -> None:
    """An error names what was probably meant."""
    with pytest.raises(UsageError) as caught:
        find_workload(named("a/shop", "a/web", "b/web"), name, namespaces)
    assert str(caught.value) == message


def test_unknown_clusters() -> None:
    """Likewise for clusters; many are counted."""
    assert find_cluster(problem(), "member1") == "member1"
    with pytest.raises(UsageError, match="no cluster 'membr3'; did you mean member3"):
        find_cluster(problem(), "membr3")
    crowd = Problem(tuple(Cluster(f"c{number}") for number in range(9)), ())
    with pytest.raises(UsageError, match="known: c0, c1, c2, c3, c4 and 4 more"):
        find_cluster(crowd, "zzz")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run the command; return the exit code, results and notes."""
    code = main(["why", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints the table; -n tells where the workload is, and leaves the others in."""
    files = ("-f", str(EXAMPLES / "three-regions"))
    code, out, err = run(capsys, "deploy/shop", "-n", "retail", *files)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "retail/shop: 30 replicas, policy retail/shop"
    assert "capacity for one more replica on eu-west-2 lowers deviation from 0.2167 to 0.1" in out
    code, out, _ = run(capsys, "shop", "eu-west-2", "-o", "json", *files)
    document = json.loads(out)
    assert [each["clusterName"] for each in document["clusters"]] == ["eu-west-2"]
    assert document["seconds"].keys() == {"load", "solve", "why"}
    _, out, _ = run(capsys, "shop", "-o", "yaml", *files)
    assert yaml.safe_load(out)["workload"]["name"] == "shop"
    _, out, _ = run(capsys, "shop", "--no-headers", *files)
    assert len(out.splitlines()) == 5


def test_command_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    """3 where there is no placement, 2 where the question is wrong."""
    code, out, _ = run(capsys, "nginx", "-f", str(EXAMPLES / "too-tight"))
    assert code == 3
    assert "policy default/nginx: member2 needs at least 4" in out
    code, _, err = run(capsys, "ngnx", "-f", str(EXAMPLES / "too-tight"))
    assert (code, err) == (2, "error: no workload 'ngnx'; did you mean default/nginx?\n")
    code, _, err = run(capsys, "nginx", "member9", "-f", str(EXAMPLES / "too-tight"))
    assert code == 2
    assert "no cluster 'member9'; did you mean member2 or member1?" in err


def test_command_takes_no_method(capsys: pytest.CaptureFixture[str]) -> None:
    """Only the best placement is explained, so --method is not an option."""
    assert main(["why", "--help"]) == 0
    printed = capsys.readouterr().out
    assert "--time-limit" in printed
    assert "--method" not in printed


def test_other_workloads_are_placed_too() -> None:
    """Only the asked workload is told of, though all share clusters."""
    why = fairlead.why(problem(nginx(), duplicated()), "deploy/nginx")
    assert why.key == "default/nginx"
    assert isinstance(why.outcome, Outcome)
    assert why.outcome.status is Status.OPTIMAL
    assert any(isinstance(rule, Capacity) for rule in why.outcome.problem.rules)
