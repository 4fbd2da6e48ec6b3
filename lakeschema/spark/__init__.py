"""Runs the publisher's large jobs on Spark."""
