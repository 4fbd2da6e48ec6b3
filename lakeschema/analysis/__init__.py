"""What statements do with data: who reads and writes which tables, and where each column comes from."""
