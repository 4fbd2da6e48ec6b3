"""Queries from public test suites, judged by a running Spark: ``make bench-corpus``."""
