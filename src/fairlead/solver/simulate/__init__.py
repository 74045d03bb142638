"""What would become of a fleet: changes, and a problem with them made."""
