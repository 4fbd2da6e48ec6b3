"""Queries of public test suites, judged live by Spark: ``make bench-corpus``."""
