"""What is known in the end: how far the levels got, answers of parts, and outcomes that are checked again."""
