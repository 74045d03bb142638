"""One placement rule a file: from the rule to CP-SAT variables, constraints and costs."""
