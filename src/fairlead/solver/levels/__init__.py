"""Several workloads placed together, one level after the other: models, bounds, pins, tolerances, ties."""
