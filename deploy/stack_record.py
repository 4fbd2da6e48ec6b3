"""The record of a detached stack: ``stack.json`` in its directory.

Programs may read the servers' addresses in it; ``detached_stack`` reads the processes and files. The
record is written before the first server starts, so that the remains of a killed start are recognised.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from deploy.errors import StackConflict
from deploy.server_process import ProcessIdentity

FILE_NAME = "stack.json"


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """A server of the stack.

    ``addresses``: a client's connection settings, such as URLs, bootstrap servers, name and password.
    """

    process: ProcessIdentity
    log: str
    addresses: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StackRecord:
    """A stack. ``servers`` are in the order of their start.

    ``keeps_data``: a restart keeps the data.
    """

    servers: Mapping[str, ServerRecord]
    keeps_data: bool

    def is_running(self) -> bool:
        return bool(self.servers) and all(each.process.is_alive() for each in self.servers.values())


def read_record(directory: Path) -> StackRecord | None:
    path = directory / FILE_NAME
    try:
        read = json.loads(path.read_text())
        servers = {
            name: ServerRecord(
                ProcessIdentity(int(each["process"]["pid"]), str(each["process"]["started"])),
                str(each["log"]),
                {str(key): str(value) for key, value in each["addresses"].items()},
            )
            for name, each in read["servers"].items()
        }
        return StackRecord(servers, bool(read["keeps_data"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as malformed:
        raise StackConflict(
            directory,
            f"{FILE_NAME} was not written by this program ({malformed!r})",
            "choose another directory, or remove that file if you know that nothing runs there",
        ) from malformed


def write_record(directory: Path, record: StackRecord) -> None:
    """Replaces the record atomically; only its owner may read the file, which may hold a password."""
    unfinished = directory / f".{FILE_NAME}"
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(
            {
                "servers": {name: asdict(each) for name, each in record.servers.items()},
                "keeps_data": record.keeps_data,
            },
            file,
            indent=2,
        )
        file.write("\n")
    unfinished.replace(directory / FILE_NAME)
