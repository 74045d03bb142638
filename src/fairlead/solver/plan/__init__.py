"""Rebalance plans: from what runs now to a proven target, in waves of moves that keep every rule on the way."""
