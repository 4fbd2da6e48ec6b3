"""Learns from logged statements which tables they fill, and from which sources."""
