"""Random lakes for tests and benchmarks: tables, rows, and views grown over them."""
