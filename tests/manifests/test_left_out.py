"""What cannot be understood never refuses the rest; what has no replicas is told in one line."""

import json
from pathlib import Path

import pytest

import fairlead
from builders import Manifest, binding, cluster, deployment, policy, static
from fairlead.cli.app import main
from fairlead.manifests.loading import load
from fairlead.models.errors import ManifestError
from kubeadmiral_manifests import federated, members, web
from kubeadmiral_manifests import policy as federal_policy
from loaded import only, texts

MEMBERS = [cluster("member1", 9), cluster("member2", 9)]
EVEN = static(("member1", 1), ("member2", 1))


def strange(name: str = "strange") -> Manifest:
    """Return a binding with what no version has written so far."""
    return binding(name, 2, {"member1": 2}, {"spreadConstraints": [{"spreadByField": "planet"}]})


def named(name: str, replicas: int) -> Manifest:
    """Return a workload of a name that names KubeAdmiral's policy."""
    found = web(replicas)
    return found | {"metadata": found["metadata"] | {"name": name}}


def written(folder: Path, *documents: Manifest) -> str:
    """Write documents into a file and return its name."""
    path = folder / "input.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(documents)}))
    return str(path)


def test_a_binding_that_cannot_be_understood_is_left_out() -> None:
    """The other one is placed, and the warning names field and value."""
    problem = load(MEMBERS, binding("web", 4, None, EVEN), strange())
    assert only(problem).key == "default/web"
    assert texts(problem, "not-understood") == [
        (
            "default/strange is left out: its binding cannot be understood:"
            " spec.placement.spreadConstraints[0].spreadByField: 'planet' is not allowed;"
            " allowed are cluster, region, zone and provider (<dict>)"
        )
    ]


def test_its_template_is_not_placed_as_if_it_were_new() -> None:
    """What runs where is not known of it, so it stays as it is; a policy that selects it changes nothing."""
    template, other = deployment("strange", 2), deployment("web", 4)
    problem = load(MEMBERS, template, other, policy("p", EVEN), strange())
    assert [workload.key for workload in problem.workloads] == ["default/web"]


def test_a_binding_without_a_readable_workload_is_named() -> None:
    """Not even the name of its workload is known."""
    broken = binding("x", 1) | {"spec": {"resource": "web"}}
    problem = load(MEMBERS, binding("web", 4, None, EVEN), broken)
    assert only(problem).key == "default/web"
    assert (
        "ResourceBinding is left out: it cannot be understood: spec.resource"
        in texts(problem, "not-understood")[0]
    )


def test_nothing_else_to_place_or_another_mistake_is_an_error() -> None:
    """All mistakes are named, those of bindings too."""
    with pytest.raises(ManifestError, match="planet"):
        load(MEMBERS, strange())
    with pytest.raises(ManifestError) as caught:
        load(MEMBERS, binding("web", 4, None, EVEN), strange(), deployment("bad", -1))
    assert [mistake.value for mistake in caught.value.mistakes] == ["planet", "-1"] or [
        mistake.value for mistake in caught.value.mistakes
    ] == ["-1", "planet"]


def test_a_federated_object_that_cannot_be_understood_is_left_out() -> None:
    """KubeAdmiral's as Karmada's: the other one is placed, and the warning names the mistake."""
    strange_one = federated(named("strange", -1), {"member1": 2})
    other = federated(web(4), {"member1": 4})
    problem = load(members(2), federal_policy(), strange_one, other)
    assert [workload.key for workload in problem.workloads] == ["default/web"]
    assert texts(problem, "not-understood") == [
        (
            "default/strange is left out: its federated object cannot be understood:"
            " spec.template.spec.replicas: '-1' must be at least 0 (<dict>)"
        )
    ]


@pytest.mark.parametrize("template", [{}, "web", {"apiVersion": "apps/v1", "kind": "Deployment"}])
def test_a_federated_object_of_nobody_is_named(template: object) -> None:
    """Not even the name of its workload is known."""
    broken = federated(named("strange", 4), {"member1": 4})
    broken["spec"]["template"] = template
    problem = load(members(2), federal_policy(), broken, federated(web(4), {"member1": 4}))
    assert only(problem).key == "default/web"
    assert "FederatedObject is left out: it cannot be understood: spec" in texts(problem, "not-understood")[0]


def test_what_a_strange_federated_object_holds_is_not_placed_by_its_label() -> None:
    """The plain workload is in the input too, with the policy in its label; what runs where is not known."""
    plain = web(2)
    strange_one = federated(web(2), {"member1": 2})
    strange_one["spec"]["overrides"][0]["clusters"][0]["patches"][0]["value"] = "many"
    other = federated(named("b", 4), {"member1": 4})
    problem = load(members(2), federal_policy(), plain, strange_one, other)
    assert [workload.key for workload in problem.workloads] == ["default/b"]


def test_validate_says_so_with_its_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """2 for what was left out; solve places the rest and ends with 0."""
    source = written(tmp_path, *MEMBERS, binding("web", 4, None, EVEN), strange())
    assert main(["validate", "-f", source]) == 2
    shown = capsys.readouterr()
    assert "warning: default/strange is left out" in shown.err
    assert "Wrong input: 1 warning above must not be." in shown.out
    assert main(["solve", "-f", source, "-o", "name"]) == 0
    assert capsys.readouterr().out == "deployment.apps/web\n"


def config_map(name: str, **spec: object) -> Manifest:
    """Return the binding of a ConfigMap, which has no replicas."""
    placement = {"clusterAffinity": {"clusterNames": ["member1"]}}
    found = binding(name, None, None, placement, kind="ConfigMap", api_version="v1")
    return found | {"spec": {**found["spec"], **spec}}


def test_what_has_no_replicas_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """ConfigMaps, and dependencies without a placement: a note, no rows, no warnings."""
    dependency = config_map("needed", placement=None, requiredBy=[{"name": "web", "namespace": "default"}])
    maps = [config_map("a"), config_map("b"), dependency]
    source = written(tmp_path, *MEMBERS, binding("web", 4, None, EVEN), *maps)
    assert main(["solve", "-f", source]) == 0
    shown = capsys.readouterr()
    names = "ConfigMap default/a, ConfigMap default/b and ConfigMap default/needed"
    assert shown.err.startswith(
        f"note: 3 objects without replicas of their own, propagated and not divided: {names} ("
    )
    assert "default/a" not in shown.out
    assert main(["validate", "--strict", "-f", source]) == 0
    assert "1 workload, 1 policy, 4 replicas, 0 warnings" in capsys.readouterr().out


def test_a_deployment_scaled_to_nothing_has_replicas() -> None:
    """The API leaves a number out that is 0."""
    problem = load(MEMBERS, binding("web", None, None, EVEN), config_map("a"))
    assert [workload.without_replicas for workload in problem.workloads] == [True, False]
    assert [workload.key for workload in problem.with_replicas] == ["default/web"]


def test_warnings_stand_beside_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown field and a wrong number in one file: both are said, and programs see both."""
    source = written(tmp_path, *MEMBERS, deployment("web", -1) | {"extra": 1}, policy("p", EVEN))
    for command in (["validate"], ["solve"]):
        assert main([*command, "-f", source]) == 2
        shown = capsys.readouterr().err
        assert "warning: Deployment: extra is an unknown field" in shown
        assert "spec.replicas: '-1' must be at least 0" in shown
    assert main(["solve", "-q", "-f", source]) == 2
    assert "warning:" not in capsys.readouterr().err
    assert main(["validate", "-o", "json", "-f", source]) == 2
    document = json.loads(capsys.readouterr().out)
    assert [len(document[name]) for name in ("mistakes", "warnings")] == [1, 1]


def test_strict_takes_warnings_for_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A cluster name that no cluster has: valid, but not where one is strict."""
    source = written(tmp_path, *MEMBERS, binding("web", 4, None, static(("member1", 1), ("membr2", 1))))
    assert main(["validate", "-f", source]) == 0
    assert main(["validate", "--strict", "-f", source]) == 2
    assert main(["validate", "--strict", "-f", source, "-o", "json"]) == 2
    assert json.loads(capsys.readouterr().out.split("must not be.\n")[1])["valid"] is False


FILE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: -1
  extra: "50%: a, b"
"""


def test_findings_for_github(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A command per finding with file and line; what the format itself uses is escaped."""
    path = tmp_path / "a,b.yaml"
    path.write_text(FILE)
    assert main(["validate", "-o", "github", "-f", str(path)]) == 2
    file = str(path).replace(",", "%2C")
    unknown = "Deployment: spec.extra is an unknown field and has no effect"
    assert capsys.readouterr().out.splitlines() == [
        f"::error file={file},line=5,title=fairlead mistake::spec.replicas: '-1' must be at least 0",
        f"::warning file={file},line=6,title=fairlead unknown-field::{unknown}",
    ]


def test_findings_as_sarif(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Mistakes and conflicts are errors; every result has its place."""
    path = tmp_path / "a.yaml"
    path.write_text(FILE)
    assert main(["validate", "-o", "sarif", "-f", str(path)]) == 2
    log = json.loads(capsys.readouterr().out)
    assert (log["version"], log["runs"][0]["tool"]["driver"]["version"]) == ("2.1.0", fairlead.__version__)
    results = log["runs"][0]["results"]
    assert [(one["ruleId"], one["level"]) for one in results] == [
        ("mistake", "error"),
        ("unknown-field", "warning"),
    ]
    place = results[0]["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == (path.as_uri(), {"startLine": 5})
    tight = written(tmp_path, cluster("member1", 1), binding("web", 4, None, static(("member1", 1)), cpu=1))
    assert main(["validate", "-o", "sarif", "-f", tight]) == 3
    (conflict,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    assert (conflict["ruleId"], conflict["level"]) == ("conflict", "error")
    assert conflict["relatedLocations"]
