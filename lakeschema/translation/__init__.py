"""Turns SQL text into a typed plan, and a plan into an Avro schema or another engine's SQL."""
