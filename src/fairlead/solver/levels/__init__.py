"""Several workloads placed together by CP-SAT, one level after the other: models, bounds, pins, ties."""
