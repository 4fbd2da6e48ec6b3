"""Learns from statements that ran which tables they fill, and from which sources."""
