"""What statements do with data: who reads and writes what, and where each column comes from."""
