"""One sentence on many workloads: how often an answer is as good as the best one."""

import fairlead
from builders import clusters, deployment, policy, static
from places import EXAMPLES


def test_workloads_are_counted_one_by_one() -> None:
    """Twelve workloads over 3 : 2 : 1 : 1, one more replica each, on clusters that become full."""
    problem = fairlead.load(
        [
            *clusters(4, cpu=40),
            *(deployment(f"w{number:02}", 3 + number, cpu=1) for number in range(12)),
            policy(placement=static(("member1", 3), ("member2", 2), ("member3", 1), ("member4", 1))),
        ]
    )
    comparison = fairlead.compare(problem, likes=("karmada", "reference"))
    texts = [contender.verdict for contender in comparison.contenders]
    # Karmada overcommits member1 by one replica: eleven workloads lose nothing by what the best one changes.
    assert "Of 12 workloads, each by itself: " in texts[0]
    assert "Of 12 workloads, each by itself: " in texts[1]
    assert "worse" in texts[1]


def test_one_workload_needs_no_count() -> None:
    """With one workload the sentence would only repeat what was said."""
    problem = fairlead.load([*clusters(2), deployment("w", 3), policy(placement=static())])
    assert "workloads" not in fairlead.compare(problem).contenders[0].verdict


def test_the_chosen_group_is_written() -> None:
    """A written binding tells the affinity group that the next run starts from."""
    problem = fairlead.load(EXAMPLES / "affinity-groups")
    assert [each["status"] for each in fairlead.solve(problem).to_manifests("status")] == [
        {"schedulerObservingAffinityName": "dc-beijing"}
    ]
