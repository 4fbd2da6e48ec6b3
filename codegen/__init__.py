"""A typed Python package from an Avro schema: names, modules, codec and wheel bytes, all in memory."""
