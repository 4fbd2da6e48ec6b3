"""Finds the consequences of DDL without running it."""
