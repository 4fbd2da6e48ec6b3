"""Single rules: each finds one kind of problem in a statement, and can be turned on or off."""
