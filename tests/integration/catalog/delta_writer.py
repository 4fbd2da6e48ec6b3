"""Runs statements on Spark with Delta's plugin in a separate process, and prints Spark's view of the tables.

A session can load a plugin only when it starts, so the session of the other tests cannot be used.
"""

from __future__ import annotations

import json
import sys

from pyspark import SparkConf
from pyspark.sql import SparkSession


def main() -> None:
    asked = json.load(sys.stdin)
    conf = SparkConf(loadDefaults=False).setAll(list(asked["conf"].items()))
    session = SparkSession.builder.config(conf=conf).getOrCreate()
    for statement in asked["statements"]:
        session.sql(statement)
    schemas = {name: json.loads(session.table(name).schema.json()) for name in asked["tables"]}
    print(json.dumps(schemas))
    session.stop()


if __name__ == "__main__":
    main()
