"""An Avro schema to a typed Python package: names, modules, codec and wheel bytes, all in memory."""
