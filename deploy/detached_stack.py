"""Starts, shows and stops a stack of servers that outlives the command that started it.

One directory holds one stack; ``down`` removes all files of the stack and no others.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from deploy.cache import cache_directory, fingerprint, locked
from deploy.errors import StackConflict
from deploy.iceberg_rest import IcebergRest
from deploy.kafka import Kafka
from deploy.metastore import Metastore, MetastoreOptions
from deploy.package_server import PyPiServer
from deploy.server_process import end_processes
from deploy.stack_record import FILE_NAME, ServerRecord, StackRecord, read_record, write_record

USUAL_SERVERS = ("kafka", "metastore", "pypiserver")
SERVERS = (*USUAL_SERVERS, "iceberg-rest")

Server = Kafka | Metastore | PyPiServer | IcebergRest


@dataclass(frozen=True, slots=True)
class StackOptions:
    servers: Collection[str] = USUAL_SERVERS
    kafka_heap_megabytes: int = 256
    metastore: MetastoreOptions = MetastoreOptions()  # noqa: RUF009 - it is frozen


def up(directory: Path, options: StackOptions) -> StackRecord:
    """The running stack of the directory.

    If none runs, removes the remains of a crash and starts a stack.

    Raises StackConflict if a stack with different servers runs there.
    """
    with _lock_of(directory):
        directory.mkdir(parents=True, exist_ok=True)
        found = read_record(directory)
        if found is not None and found.is_running():
            return _same_servers(directory, found, options)
        if found is None:
            _refuse_unknown_files(directory)
        else:
            _clear(directory, found, keep_data=found.keeps_data)
        keeps_data = options.metastore.storage == "disk"
        write_record(directory, StackRecord({}, keeps_data))
        return _start_detached(directory, options, keeps_data)


def down(directory: Path, *, keep_data: bool) -> StackRecord | None:
    """Stops the stack and returns it; None if no stack was there. Removes an empty directory."""
    with _lock_of(directory):
        found = read_record(directory)
        if found is None:
            return None
        _clear(directory, found, keep_data=keep_data)
        if keep_data:
            write_record(directory, StackRecord({}, keeps_data=True))
        elif not any(directory.iterdir()):
            directory.rmdir()
        return found


def _lock_of(directory: Path) -> AbstractContextManager[None]:
    # Not in the directory: if the lock file were removed, processes that wait for it would hold no lock.
    cache = cache_directory()
    cache.mkdir(parents=True, exist_ok=True)
    return locked(cache / f".stack-{fingerprint(str(directory))}.lock")


def _same_servers(directory: Path, found: StackRecord, options: StackOptions) -> StackRecord:
    if set(found.servers) != set(options.servers):
        raise StackConflict(
            directory,
            f"another stack runs there, of {', '.join(found.servers)}",
            "take it down first, or choose another directory",
        )
    return found


def _refuse_unknown_files(directory: Path) -> None:
    for name in SERVERS:
        if (directory / name).exists():
            raise StackConflict(
                directory,
                f"{name} exists, but no {FILE_NAME} shows that this program made it",
                "choose another directory, or remove it",
            )


def _clear(directory: Path, found: StackRecord, *, keep_data: bool) -> None:
    """Stops the servers that still run, last started first, and removes the files."""
    for server in reversed(tuple(found.servers.values())):
        end_processes([server.process])
    if not keep_data:
        for name in SERVERS:
            shutil.rmtree(directory / name, ignore_errors=True)
    (directory / FILE_NAME).unlink(missing_ok=True)


def _start_detached(directory: Path, options: StackOptions, keeps_data: bool) -> StackRecord:
    with _started(directory, options) as servers:
        records = {name: _record(server) for name, server in servers.items()}
        record = StackRecord(records, keeps_data)
        # Recorded before ``release``, so that no server outlives this process unrecorded.
        write_record(directory, record)
        for server in servers.values():
            server.process.release()
    return record


@contextmanager
def _started(directory: Path, options: StackOptions) -> Iterator[dict[str, Server]]:
    """Starts the servers. If a later server or the caller fails, all of them are stopped."""
    servers: dict[str, Server] = {}
    kafka: Kafka | None = None
    with ExitStack() as undo:
        if "kafka" in options.servers:
            kafka = Kafka.start(directory / "kafka", heap_megabytes=options.kafka_heap_megabytes)
            servers["kafka"] = undo.enter_context(kafka)
        if "metastore" in options.servers:
            chosen = replace(options.metastore, kafka=kafka)
            servers["metastore"] = undo.enter_context(
                Metastore.start(directory / "metastore", chosen)
            )
        if "pypiserver" in options.servers:
            servers["pypiserver"] = undo.enter_context(PyPiServer.start(directory / "pypiserver"))
        if "iceberg-rest" in options.servers:
            catalog = IcebergRest.start(directory / "iceberg-rest")
            servers["iceberg-rest"] = undo.enter_context(catalog)
        yield servers
        undo.pop_all()


def _record(server: Server) -> ServerRecord:
    return ServerRecord(server.process.identity(), str(server.process.log), server.addresses())


def running_servers(record: StackRecord) -> Sequence[str]:
    return [name for name, each in record.servers.items() if each.process.is_alive()]
