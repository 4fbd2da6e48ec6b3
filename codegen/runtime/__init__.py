"""What every generated package contains a copy of, so that it has no dependencies at run time."""
