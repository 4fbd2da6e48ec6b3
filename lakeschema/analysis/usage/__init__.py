"""What a log says of a warehouse: who uses what, what is joined, repeated or unused, whom to tell."""
