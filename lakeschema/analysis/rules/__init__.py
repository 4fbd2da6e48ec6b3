"""Single rules: one statement → what is wrong with it, and where. Each is on or off by itself."""
