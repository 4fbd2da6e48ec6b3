"""Statements that ran → which tables they fill from which others, kept in the state."""
