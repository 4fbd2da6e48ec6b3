"""SQL text to a typed plan, and the plan to an Avro schema or another engine's SQL."""
