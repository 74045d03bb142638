"""Why a problem has no placement: minimal conflicts, verified by solving."""
