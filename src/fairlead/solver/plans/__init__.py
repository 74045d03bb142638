"""Rebalance plans: moves, waves, their replay, the target and its options."""
