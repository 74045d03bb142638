"""Changes that make an infeasible problem feasible: data, application, manifests."""
