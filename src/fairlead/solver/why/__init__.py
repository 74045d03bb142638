"""Why a workload stands where it stands: data, words and documents."""
