"""A warehouse's usage according to a log: who uses what, joins, repetition, disuse, whom to tell."""
