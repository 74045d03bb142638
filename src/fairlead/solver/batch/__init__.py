"""Many workloads on shared capacity: prices of what is scarce, exact bounds, placements that come close."""
