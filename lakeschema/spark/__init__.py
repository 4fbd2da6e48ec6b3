"""The publisher's work at scale, on Spark: executors read and derive, and touch nothing else."""
