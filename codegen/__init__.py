"""Generates a typed Python package from an Avro schema: names, modules, codec and wheel, in memory."""
