"""Run by the consumers' Python: the recipe of the documentation for Confluent's serialisers."""

from __future__ import annotations

import importlib
import sys
from typing import Any


def survives(package: Any, value: Any) -> bool:
    registry = importlib.import_module("confluent_kafka.schema_registry")
    avro = importlib.import_module("confluent_kafka.schema_registry.avro")
    context = importlib.import_module("confluent_kafka.serialization")
    client = registry.SchemaRegistryClient.new_client({"url": "mock://recipe"})
    about = context.SerializationContext("topic", context.MessageField.VALUE)
    serializer = avro.AvroSerializer(client, package.SCHEMA, package.to_dict)
    deserializer = avro.AvroDeserializer(
        client, package.SCHEMA, package.from_dict, return_record_name=True
    )
    return bool(deserializer(serializer(value, about), about) == value)


if __name__ == "__main__":
    module = importlib.import_module(sys.argv[1])
    second = module.R(u=module.B(x=3), span=module.Duration(months=1, days=2, milliseconds=3))
    values = [module.R(), second, *map(module.R.example, range(50))]
    print(all(survives(module, value) for value in values))
