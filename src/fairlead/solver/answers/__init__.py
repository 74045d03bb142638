"""Answers of parts, levels attained, and outcomes that are checked again."""
