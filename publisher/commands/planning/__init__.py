"""The consequences of a change of DDL, found without running it."""
