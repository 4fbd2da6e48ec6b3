"""The real servers on this machine, for tests, benchmarks, the demo and people."""

from __future__ import annotations

from deploy.kafka import Kafka
from deploy.metastore import EVENTS_TOPIC, Metastore, MetastoreOptions
from deploy.package_server import PyPiServer
from deploy.spark import spark_session_conf

__all__ = [
    "EVENTS_TOPIC",
    "Kafka",
    "Metastore",
    "MetastoreOptions",
    "PyPiServer",
    "spark_session_conf",
]
