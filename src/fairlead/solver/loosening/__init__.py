"""Levels that need not be best: balance, and those with a tolerance; who is searched again for that."""
