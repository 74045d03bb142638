"""Rebalance plans: from what runs to a proven target, in waves of moves that keep every rule on the way."""
