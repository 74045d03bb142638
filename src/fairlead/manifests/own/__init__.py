"""From fairlead's own kinds to rules: one kind a module."""
