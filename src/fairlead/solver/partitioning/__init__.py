"""Batches past one machine's memory, solved in shares."""
