"""Analyses the use of a warehouse from its log: users, joins, repetition, disuse, people to inform."""
