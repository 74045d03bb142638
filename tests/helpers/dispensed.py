"""What dispensers answer, in the shortest form."""

import fairlead


def placed(outcome: fairlead.Outcome) -> dict[str, dict[str, int]]:
    """Return the placement of an outcome as plain dictionaries."""
    assert outcome.placement is not None
    return outcome.placement.to_dict()
