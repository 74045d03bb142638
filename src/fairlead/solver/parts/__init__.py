"""Independent parts of a problem, and the ways to solve one."""
