"""Runs real servers on this machine, for tests, benchmarks, the demo and people.

``python -m deploy.local_stack up | status | down`` starts, shows and ends all of them. Programs use
the context managers. Exit status: 0 done, 1 not running, 2 usage error, 3 failure.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from deploy.cache import cache_directory
from deploy.detached_stack import (
    SERVERS,
    USUAL_SERVERS,
    StackOptions,
    down,
    running_servers,
    up,
)
from deploy.errors import StackError
from deploy.iceberg_rest import IcebergRest
from deploy.kafka import Kafka
from deploy.metastore import EVENTS_TOPIC, Metastore, MetastoreOptions
from deploy.package_server import PyPiServer
from deploy.spark import spark_session_conf
from deploy.stack_record import FILE_NAME, StackRecord, read_record

__all__ = [
    "EVENTS_TOPIC",
    "IcebergRest",
    "Kafka",
    "Metastore",
    "MetastoreOptions",
    "PyPiServer",
    "spark_session_conf",
]


def main(arguments: Sequence[str] | None = None) -> int:
    logging.basicConfig(format="%(message)s", level=logging.INFO, stream=sys.stderr)
    parsed = _parser().parse_args(arguments)
    directory = Path(parsed.directory).resolve()
    try:
        match parsed.action:
            case "up":
                return _up(directory, parsed)
            case "down":
                return _down(directory, keep_data=parsed.keep_data)
            case _:
                return _status(directory)
    except StackError as error:
        print(f"error: {error}", file=sys.stderr)
        if error.hint:
            print(f"hint: {error.hint}", file=sys.stderr)
        return 3


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m deploy.local_stack",
        description="Hive Metastore, Kafka, a package index and Iceberg's REST catalog on 127.0.0.1.",
    )
    actions = parser.add_subparsers(dest="action", required=True)
    starts = actions.add_parser("up", help="start the servers and leave them running")
    ends = actions.add_parser("down", help="end the servers and remove their files")
    shows = actions.add_parser("status", help="show what runs, and where")
    for each in (starts, ends, shows):
        each.add_argument(
            "--directory",
            default=str(cache_directory() / "stack"),
            help="where the servers keep their files and stack.json (default: %(default)s)",
        )
    starts.add_argument(
        "--only",
        type=_servers,
        default=USUAL_SERVERS,
        metavar="SERVER,…",
        help=f"some of {', '.join(SERVERS)}; with kafka and metastore the listener is enabled"
        " (default: all but iceberg-rest)",
    )
    starts.add_argument(
        "--storage",
        choices=("memory", "disk"),
        default="memory",
        help="the metastore's catalog; on disk it survives a restart (default: memory)",
    )
    starts.add_argument("--metastore-heap-megabytes", type=_positive, default=256)
    starts.add_argument("--kafka-heap-megabytes", type=_positive, default=256)
    starts.add_argument(
        "--concurrent-ddl",
        action="store_true",
        help="run DDL concurrently, so that Derby may assign an event id twice (stress test)",
    )
    ends.add_argument("--keep-data", action="store_true", help="leave the files for the next up")
    return parser


def _servers(text: str) -> tuple[str, ...]:
    chosen = text.split(",")
    unknown = [name for name in chosen if name not in SERVERS]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"expected one of {', '.join(SERVERS)}, got {unknown[0]!r}"
        )
    return tuple(name for name in SERVERS if name in chosen)


def _positive(text: str) -> int:
    number = int(text)
    if number <= 0:
        raise ValueError(text)
    return number


def _up(directory: Path, parsed: argparse.Namespace) -> int:
    began = time.monotonic()
    options = StackOptions(
        servers=parsed.only,
        kafka_heap_megabytes=parsed.kafka_heap_megabytes,
        metastore=MetastoreOptions(
            storage=parsed.storage,
            heap_megabytes=parsed.metastore_heap_megabytes,
            serialise_ddl=not parsed.concurrent_ddl,
        ),
    )
    record = up(directory, options)
    _show(record)
    print(f"ready after {time.monotonic() - began:.1f} s; addresses in {directory / FILE_NAME}")
    print(f"to end it: python -m deploy.local_stack down --directory {directory}")
    return 0


def _down(directory: Path, *, keep_data: bool) -> int:
    found = down(directory, keep_data=keep_data)
    if found is None:
        print(f"nothing runs in {directory}")
    else:
        print(f"ended {', '.join(found.servers) or 'nothing'}")
    return 0


def _status(directory: Path) -> int:
    found = read_record(directory)
    if found is None or not found.servers:
        print(f"nothing runs in {directory}")
        return 1
    _show(found)
    return 0 if found.is_running() else 1


def _show(record: StackRecord) -> None:
    running = running_servers(record)
    for name, server in record.servers.items():
        state = f"pid {server.process.pid}" if name in running else "DEAD"
        print(f"{name}  {state}  log {server.log}")
        for key, value in server.addresses.items():
            shown = f"(in {FILE_NAME})" if key == "password" else value
            print(f"  {key:<18} {shown}")


if __name__ == "__main__":
    sys.exit(main())
