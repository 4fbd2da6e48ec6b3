"""What every generated package carries along, so that it depends on nothing at run time."""
