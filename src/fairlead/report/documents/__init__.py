"""Answers as plain documents: what ``-o json`` prints, and what programs read."""
