"""From YAML and JSON manifests to a problem."""
