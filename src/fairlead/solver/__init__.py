"""How answers are found: exact shortcuts, lexicographic levels, dispensers."""
