"""What a change of DDL would do, found without doing it."""
