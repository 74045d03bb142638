"""Every example does what its first lines say."""

import re

import pytest

import fairlead
from fairlead.solver.arguments import Method
from places import EXAMPLES, ROOT
from run_examples import solved

EXPECTED = {
    "three-regions": {"ap-south-1": 5, "eu-west-1": 9, "eu-west-2": 8, "us-east-1": 4, "us-east-2": 4},
    "scale-up": {"berlin": 8, "dresden": 10, "frankfurt": 2},
    "duplicated": {"edge-hamburg": 3, "edge-munich": 3},
    "autoscaled": {"lyon": 2, "nantes": 1, "paris": 1},
    "overridden": {"graz": 3, "linz": 3},
    "taints": {"north-1": 3, "north-2": 6},
    "dynamic-weights": {"dc-a": 7, "dc-b": 3},
    "specified": {"lyon": 3, "oslo": 3, "turku": 5},
    "region-list": {"lyon": 1, "turku": 2},
    "prices": {"cloud-a": 6, "cloud-b": 4, "owned": 10},
    "quota": {"lisbon": 2, "madrid": 4, "porto": 3},
    "skew": {"east": 2, "north": 3, "south": 2, "west": 3},
    "survival": {"ap-south-1": 3, "eu-west-1": 3, "eu-west-2": 2, "us-east-1": 2},
    "failure-budget": {"ap-south-1": 3, "eu-west-1": 2, "eu-west-2": 2, "us-east-1": 3},
    "hierarchical-weights": {"member1": 18, "member2": 17, "member3": 18, "member4": 17, "member5": 30},
    "affinity-groups": {"beijing-1": 2, "beijing-2": 4},
    "overflow": {"cloud-east": 4, "cloud-west": 2, "home": 8},
    "spread": {"madrid": 2, "paris-1": 5, "paris-2": 5},
    "aggregated": {"rack-2": 6, "rack-4": 4},
    "kubeadmiral": {"beijing-1": 8, "beijing-2": 3, "shanghai-1": 3},
    "openb": {
        "openb-g2": 613,
        "openb-g3": 44,
        "openb-p100": 37,
        "openb-t4": 117,
        "openb-v100m16": 18,
        "openb-v100m32": 28,
    },
}
WARNED = {
    "overridden": [
        "OverridePolicy search/graz sets /spec/replicas of search/index to 4 on graz",
        "search/index asks for nodes with disk=nvme",
    ]
}
"""Examples that show what fairlead cannot count."""
INFEASIBLE = {"too-tight"}
TOLD_ELSEWHERE = {
    "created-together",
    "extension",
    "failover",
    "filled-together",
    "fleet",
    "recovered",
    "safe-migration",
    "two-aggregated",
}
"""Several workloads; what is expected is in test_user_reports.py, test_balance.py,
test_stories.py and test_extension.py."""


def test_every_example_is_tested() -> None:
    """A new folder needs an expectation here and a line in the list."""
    folders = {folder.name for folder in (ROOT / "examples").iterdir() if folder.is_dir()}
    assert folders == set(EXPECTED) | INFEASIBLE | TOLD_ELSEWHERE
    told = (ROOT / "examples" / "README.md").read_text()
    assert [name for name in sorted(folders) if told.count(f"[{name}]({name})") != 1] == []


@pytest.mark.parametrize("name", sorted(EXPECTED))
@pytest.mark.parametrize("method", ["auto", "cp-sat"])
def test_example(name: str, method: Method) -> None:
    """The placement is the expected one, proven, by formula and by CP-SAT; warnings are expected ones."""
    problem = fairlead.load(ROOT / "examples" / name)
    outcome = fairlead.solve(problem, method=method)
    assert outcome.status is fairlead.Status.OPTIMAL
    assert outcome.placement is not None
    assert [dict(placed) for placed in outcome.placement.values()] == [EXPECTED[name]]
    assert [re.split("[:;]", one.text)[0] for one in problem.warnings] == WARNED.get(name, [])


@pytest.mark.parametrize("name", sorted(INFEASIBLE))
def test_infeasible_example(name: str) -> None:
    """An example that cannot work says why."""
    outcome = fairlead.solve(fairlead.load(ROOT / "examples" / name))
    assert outcome.status is fairlead.Status.INFEASIBLE
    assert outcome.conflict is not None


def test_an_example_that_ends_otherwise_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """With the exit code, and all that it printed."""
    example = EXAMPLES / "too-tight"
    assert solved(example, 3)
    assert not solved(example, 0)
    told = capsys.readouterr().err
    assert "Infeasible" in told
    assert told.endswith(f"{example}: exit code 3, expected 0\n")
