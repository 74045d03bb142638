"""Documents from YAML and JSON, each value with the line where it stands."""
