"""What is answered at least: what runs, kept and repaired, or a partial placement at once."""
