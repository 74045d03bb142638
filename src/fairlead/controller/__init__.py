"""fairlead as a scheduler of Karmada: bindings of a control plane, placed as they become due."""
