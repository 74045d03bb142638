"""Greedy contenders on the same problem and outcome types; none of them uses OR-Tools."""
