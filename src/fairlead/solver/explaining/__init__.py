"""Why there is no placement, said with the ways out of it."""
