"""Companions of what is to be placed stay as they run, also where they are copied everywhere."""

import fairlead
from builders import binding, cluster, deployment, duplicated, static
from fairlead.manifests.extensions import Extensions
from fairlead.manifests.gathering import gather
from fairlead.manifests.loading import problem_of


def test_copies_of_a_companion_stay_however_many_they_are_together() -> None:
    """`db` has a copy of two on either cluster, four where two are wanted: `web` is placed beside them."""
    together = {"workloadAffinity": {"affinity": {"groupByLabelKey": "app"}}}
    stream = [
        cluster("a", cpu=9),
        cluster("b", cpu=9),
        deployment("db", 2, 1),
        deployment("web", 2, 1),
        binding("db", 2, {"a": 2, "b": 2}, {**duplicated(), **together}, cpu=1),
        binding("web", 2, {}, {**static(("a", 1), ("b", 1)), **together}, cpu=1),
    ]
    for each in stream[2:4]:
        each["metadata"]["labels"] = {"app": "shop"}
    found = gather([stream], Extensions(), recursive=False)
    asked = [one.identity for one in found.subjects if one.resource.name == "web"]
    outcome = fairlead.solve(problem_of(found.manifests, found.subjects, asked), workers=1)
    assert outcome.placement is not None
    assert dict(outcome.placement["default/db"]) == {"a": 2, "b": 2}
    assert dict(outcome.placement["default/web"]) == {"a": 1, "b": 1}
