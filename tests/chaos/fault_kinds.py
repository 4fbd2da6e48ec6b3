"""A table of all kinds of faults: target, frequency, duration and cause."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count
from random import Random
from typing import TypeAlias

from tests.chaos import lies
from tests.chaos.faults import (
    ChangePassage,
    CutConnections,
    DamageFiles,
    Fault,
    HoldingClients,
    Kill,
    Pause,
    Restart,
    Server,
    TellLies,
)
from tests.chaos.hostile_events import SendMessages, forged_messages, garbage_messages
from tests.chaos.hostile_tables import HostileTables
from tests.chaos.index_proxy import Lie
from tests.chaos.lake import Lake
from tests.chaos.schedule import Kind
from tests.chaos.stack import EXPOSED, Stack
from tests.chaos.tcp_proxy import Passage

MakeFault: TypeAlias = Callable[[], Fault]

HOSTILE_TARGETS = frozenset({"topic", "tables", "http"})
"""Faults that untrusted people can cause, without failures of processes or connections."""

GAPS: Mapping[str, float] = {
    "daemon-1": 25.0,
    "daemon-2": 25.0,
    "daemon-folder": 25.0,
    "kafka": 45.0,
    "metastore": 50.0,
    "second metastore": 30.0,
    "metastore link": 25.0,
    "pypiserver": 45.0,
    "index link": 12.0,
    "index folder": 20.0,
    "topic": 12.0,
    "tables": 20.0,
    "http": 30.0,
}
"""Seconds from the end of one fault to the next, on average, for each target."""

_HOLDING_CLIENTS = 300


@dataclass(frozen=True, slots=True)
class FaultKind:
    kind: Kind
    make: MakeFault


def fault_kinds(stack: Stack, current_lake: Callable[[], Lake], seed: int) -> tuple[FaultKind, ...]:
    """``current_lake``: the source of names in forged messages."""
    return (
        *_of_processes(stack),
        *_of_links(stack),
        _of_files(stack, seed),
        *_of_input(stack, current_lake, seed),
    )


def _of_processes(stack: Stack) -> list[FaultKind]:
    servers: dict[str, Server] = {daemon.name: daemon for daemon in stack.daemons}
    servers |= {
        "kafka": stack.kafka,
        "metastore": stack.metastore,
        "second metastore": stack.second_metastore,
        "pypiserver": stack.pypiserver,
    }
    found: list[FaultKind] = []
    for name, server in servers.items():
        found += [
            FaultKind(Kind(f"kill {name}", name, 3, 0.2, 4.0), partial(Kill, server)),
            FaultKind(Kind(f"pause {name}", name, 2, 1.0, 12.0), partial(Pause, server)),
            FaultKind(Kind(f"restart {name}", name, 1, 0.2, 2.0), partial(Restart, server)),
        ]
    return found


def _of_links(stack: Stack) -> list[FaultKind]:
    proxy, index = stack.metastore_proxy, stack.index_proxy

    def passage(name: str, passage: Passage) -> FaultKind:
        kind = Kind(name, "metastore link", 1, 1.0, 12.0)
        return FaultKind(kind, lambda: ChangePassage(proxy, passage))

    def lie(name: str, make_lie: Callable[[], Lie]) -> FaultKind:
        kind = Kind(name, "index link", 1, 2.0, 10.0)
        return FaultKind(kind, lambda: TellLies(index, make_lie()))

    return [
        FaultKind(
            Kind("cut metastore connections", "metastore link", 2, 0.1, 0.5),
            partial(CutConnections, proxy),
        ),
        passage("refuse metastore connections", Passage.REFUSED),
        passage("hold metastore connections", Passage.HELD),
        passage("slow metastore connections", Passage.SLOW),
        passage("metastore drips bytes", Passage.DRIPPING),
        lie("index drops requests", lambda: lies.drop_request),
        lie("index drops answers", lambda: lies.drop_answer),
        lie("index stores and answers 500", lambda: lies.fail_after_storing),
        lie("index answers 200 and stores nothing", lambda: lies.accept_without_storing),
        lie("index serves stale pages", lies.StalePages),
        lie("index drips bytes", lies.DrippedBodies),
    ]


def _of_files(stack: Stack, seed: int) -> FaultKind:
    numbers = count(1)

    def damage() -> Fault:
        return DamageFiles(stack.folder_watch, Random(f"{seed} files {next(numbers)}"))

    return FaultKind(Kind("damage files of the index", "index folder", 1, 0.1, 0.5), damage)


def _of_input(stack: Stack, current_lake: Callable[[], Lake], seed: int) -> list[FaultKind]:
    numbers = count(1)

    def forged() -> Fault:
        random = Random(f"{seed} forged {next(numbers)}")
        messages = forged_messages(current_lake(), EXPOSED, random)
        return SendMessages(stack.kafka, messages, random)

    def garbage() -> Fault:
        random = Random(f"{seed} garbage {next(numbers)}")
        return SendMessages(stack.kafka, garbage_messages(random), random)

    def tables() -> Fault:
        number = next(numbers)
        random = Random(f"{seed} tables {number}")
        return HostileTables(stack.metastore, EXPOSED, number, random)

    def holding() -> Fault:
        daemon = Random(f"{seed} http {next(numbers)}").choice(stack.daemons)
        return HoldingClients(daemon.http_port, _HOLDING_CLIENTS)

    return [
        FaultKind(Kind("forged events", "topic", 3, 0.1, 0.5), forged),
        FaultKind(Kind("garbage events", "topic", 2, 0.1, 0.5), garbage),
        FaultKind(Kind("hostile tables", "tables", 1, 5.0, 25.0), tables),
        FaultKind(Kind("holding HTTP clients", "http", 1, 5.0, 20.0), holding),
    ]
