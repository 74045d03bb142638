"""Clusters as they run: a client of the Kubernetes API, and all that fairlead reads in one go."""
