"""Analyses statements: the tables and columns that they read and write, and the source of each column."""
