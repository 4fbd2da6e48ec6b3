"""A clock that never steps: seconds since the machine's boot, on a scale that the state keeps.

A database that several machines use has the scale of its server's time.

Leases, delays and graces are compared with stored times, by several processes and over reboots. All
processes of one boot share one offset, which the first of them stores. The scale begins at wall
time, which earlier releases stored, and never goes back.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Protocol

from publisher.state.protocol import State, Transaction

_NOTE = "clock"
_MAX_LEASE_SECONDS = 120.0
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_BOOT_TIME_ROUNDING_SECONDS = 600


class Machine(Protocol):
    def boot_id(self) -> str:
        """A different id after each boot."""

    def since_boot(self) -> float:
        """Seconds that never step, including time when the machine was suspended."""

    def wall(self) -> float:
        """Seconds since the epoch; a person or NTP may step them at any time."""


class LocalMachine:
    def boot_id(self) -> str:
        try:
            return _BOOT_ID.read_text().strip()
        except OSError:
            # Without Linux's boot id, a step of wall time counts as a boot, which is safe.
            boot = (self.wall() - self.since_boot()) / _BOOT_TIME_ROUNDING_SECONDS
            return f"boot at {round(boot)}"

    def since_boot(self) -> float:
        # CLOCK_BOOTTIME is not everywhere; a monotonic clock may stop while the machine is
        # suspended.
        return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))

    def wall(self) -> float:
        return time.time()


class ServerTime:
    """The time of a database's server, as of ``now``, continued by this machine's clock.

    For the clock, the server is one machine that all processes share and that never reboots.
    """

    def __init__(self, now: float) -> None:
        self._local = LocalMachine()
        self._offset = now - self._local.since_boot()

    def boot_id(self) -> str:
        return "the time of the database"

    def since_boot(self) -> float:
        return self._local.since_boot() + self._offset

    def wall(self) -> float:
        return self._local.wall()


_LOCAL = LocalMachine()


class SteadyClock:
    """The clock of a state. ``now`` is for comparisons, ``wall`` for people."""

    def __init__(self, offset: float, machine: Machine = _LOCAL) -> None:
        self._offset = offset
        self._machine = machine

    def now(self) -> float:
        return self._machine.since_boot() + self._offset

    def wall(self) -> float:
        return self._machine.wall()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def open_clock(state: State, machine: Machine = _LOCAL) -> SteadyClock:
    """The clock of a state on this machine.

    After a boot it starts at wall time, or at the last mark if that is later.
    """
    offset = state.read(lambda tx: _stored_offset(tx, machine))
    if offset is None:
        offset = state.write(lambda tx: _stored_offset(tx, machine) or _begin_boot(tx, machine))
    return SteadyClock(offset, machine)


def end_leases(tx: Transaction, until: float) -> None:
    """Ends all leases at ``until``, for a process that knows that their holder is gone."""
    tx.work.shorten_leases(until)
    tx.journal.shorten_leases(until)


def mark_time(tx: Transaction, now: float) -> None:
    """Stores the current time, so that the clock does not go back after the next boot."""
    note = json.loads(tx.journal.note(_NOTE) or "{}")
    if now > note.get("mark", now):
        tx.journal.write_note(_NOTE, json.dumps({**note, "mark": now}))


def _stored_offset(tx: Transaction, machine: Machine) -> float | None:
    note = json.loads(tx.journal.note(_NOTE) or "{}")
    return note["offset"] if note.get("boot") == machine.boot_id() else None


def _begin_boot(tx: Transaction, machine: Machine) -> float:
    """Begins the scale after a boot: at wall time, or at the mark if wall time is before it.

    Wall time may be wrong at a boot, so graces begin again. Leases end: their holders are gone.
    """
    mark: float = json.loads(tx.journal.note(_NOTE) or "{}").get("mark", 0.0)
    now = max(machine.wall(), mark)
    offset = now - machine.since_boot()
    note = {"boot": machine.boot_id(), "offset": offset, "mark": now}
    tx.journal.write_note(_NOTE, json.dumps(note))
    tx.graph.restart_graces(now)
    end_leases(tx, now + _MAX_LEASE_SECONDS)
    return offset
