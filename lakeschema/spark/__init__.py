"""The publisher's work at scale, on Spark: executors only read and derive."""
