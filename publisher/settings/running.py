"""Sections of how the program runs: its state, snapshots, ``plan``, the pace of the service, HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from publisher.settings.errors import SettingsError
from publisher.settings.fields import SQLITE, Port, PublicUrl, StateUrl
from publisher.settings.secrets import secret_in_file
from publisher.settings.section import Section

MIN_TOKEN_LENGTH = 16

Runner: TypeAlias = Literal["spark", "local"]
"""Where a snapshot reads and derives: on Spark's executors, or in its own process."""

RunnerChoice: TypeAlias = Literal["auto", "spark", "local"]
"""``auto``: what suits the catalog's size, of what is installed."""


class State(Section):
    url: StateUrl = f"{SQLITE}state.db"
    """`sqlite:///FILE` and nothing else: one file, on a local disk. An absolute path has four slashes."""

    @property
    def file(self) -> Path:
        return Path(self.url.removeprefix(SQLITE))


class Snapshot(Section):
    interval_seconds: Annotated[float, Field(gt=0)] = 3600.0
    """Between two snapshots of the service."""

    on_start: bool = True
    """Whether the service begins with a snapshot."""

    runner: RunnerChoice = "auto"
    """`"spark"`: reads and derives on Spark's executors, with the extra `spark`.

    `"local"`: the same in one process. `"auto"`: on Spark for a catalog of kind `"spark"`, and from
    10,000 relations on if the extra is installed; else in one process.
    """

    tasks: Annotated[int, Field(ge=1)] = 2
    """On Spark: tasks that read and derive at the same time, and local cores where `conf` sets no master."""

    conf: Mapping[str, str] = Field(default_factory=dict, repr=False)
    """On Spark: settings of the session, such as `"spark.master"`."""


class Planning(Section):
    """Files that tell ``plan`` who uses the packages and relations."""

    lock_files: tuple[Path, ...] = ()
    """Requirements and lock files of those who use the packages, or folders that hold such files."""

    downloads: Path | None = None
    """How often each package was downloaded: a `.csv` or `.json` file, or a web server's access log."""

    query_log: Path | None = None
    """Queries that were run: a file of SQL or JSON Lines, or a folder of them."""

    query_dialect: Literal["hive", "spark"] = "spark"
    """Whose SQL the queries of `query_log` are."""


class Engine(Section):
    debounce_seconds: Annotated[float, Field(ge=0)] = 5.0
    """A relation that changes must be quiet for this long before it is published."""

    max_wait_seconds: Annotated[float, Field(ge=0)] = 60.0
    """A relation that keeps changing is published this long after its first change, at most."""

    workers: Annotated[int, Field(ge=1, le=64)] = 2
    """Threads, each with a process for derivations."""

    derivation_timeout_seconds: Annotated[float, Field(gt=0)] = 30.0
    """One derivation is killed after this time."""

    max_sql_bytes: Annotated[int, Field(ge=1)] = 1_000_000
    """A longer view text is refused."""

    drop_grace_seconds: Annotated[float, Field(ge=0)] = 300.0
    """A relation counts as dropped when it is missing in two readings this far apart."""

    stuck_after_seconds: Annotated[float, Field(gt=0)] = 600.0
    """`/health/ready` fails while a worker or an event source is in one turn for longer."""

    max_backoff_seconds: Annotated[float, Field(gt=0)] = 14_400.0
    """The longest delay of a relation that keeps failing for a cause of its own, such as an upload
    that the index refuses. It is tried at once when it changes, or by `resync`.
    """

    max_dead_letters: Annotated[int, Field(ge=0)] = 1000
    """How many undecodable events are kept, the newest first; of each source at most 60 a minute."""

    max_dead_letter_bytes: Annotated[int, Field(ge=0)] = 16_777_216
    """How many bytes of them are kept, the newest first; of each at most 64 kB."""

    max_dead_letter_days: Annotated[float, Field(gt=0)] = 30.0
    """For how long undecodable events are kept."""

    max_lag_seconds: Annotated[float, Field(ge=0)] = 60.0
    """For how long an event id above the catalog's current one is waited for; what the catalog says
    then is believed, and read once more.
    """

    max_versions_per_hour: Annotated[int, Field(ge=1)] = 12
    """Versions of one relation; further ones wait, and the newest content is published then; `status`
    says so.
    """

    mass_change: Literal["canary", "confirm", "off"] = "canary"
    """What becomes of an upgrade, or another option of `[translation]` or `[artifacts]`, that concerns
    more than ten relations and a fifth of all. `"canary"`: where it is doubtful what changes, up to
    twenty are derived first, and all wait for `schema-publisher confirm-changes` if more than ten
    packages and a fifth of all would be published anew. `"confirm"`: always wait; `"off"`: never.
    See [operations](operations.md#changes-by-an-upgrade-or-a-setting).
    """

    max_deletions: Annotated[int, Field(ge=0)] = 10
    """More missing relations than this and than `max_deletion_share`, of a database or of the whole
    catalog, are taken for dropped only after `schema-publisher confirm-deletions`; `0` and `0` hold
    every deletion. The same limits hold for versions that the index has lost. See
    [operations](operations.md#dropped-relations).
    """

    max_deletion_share: Annotated[float, Field(ge=0, le=1)] = 0.2
    """The other limit of `max_deletions`: a share of the relations of the database or the catalog."""

    staleness_seconds: Annotated[float, Field(ge=0)] = 2.0
    """By how much a catalog's answers may lag behind an event that carries no event id."""


class Http(Section):
    enabled: bool = True
    """`false`: no HTTP at all."""

    host: str = "127.0.0.1"
    """The address to listen on. See [security](../SECURITY.md#run-it-safely) before another."""

    port: Port = 8765
    """0 takes a free one."""

    public_url: PublicUrl | None = None
    """Where installers reach the index, such as `"https://packages.example"`.

    The commands on pages show it, and packages link to their pages. Without it pages show the
    address that the reader used, and packages have no such links. Another address publishes no
    version; a lost file that has the earlier one cannot be built again. Where `host` is this machine's
    own and there is no `operations_token_file`, a request must name its host, an IP address, or a name
    that no other site can have; any other is refused with 421.
    """

    operations_port: Port | None = None
    """Serves the dashboard, `/metrics` and the reasons of health checks on a port of their own, and
    `port` only packages and bare health.
    """

    operations_token_file: Path | None = None
    """The dashboard, `/metrics` and the reasons of health checks need the token in this file, at
    least 16 characters: as `Authorization: Bearer …`, or as the password that a browser asks for,
    with any name.
    """

    max_connections: Annotated[int, Field(ge=8, le=65536)] = 256
    """Open at the same time, of `port` and of `operations_port` each, and at most a quarter of the
    file descriptors that the process may have; beyond it a new one takes the place of one whose client
    does not send or read, of the address with the most of these. Half are never given up while the
    service works on their answer.
    """

    def operations_token(self) -> str | None:
        """The token of the file; None where none is asked for.

        Raises:
            SettingsError: the file is not readable, or what it holds could be guessed.
        """
        if self.operations_token_file is None:
            return None
        setting = f"http.operations_token_file ({self.operations_token_file})"
        token = secret_in_file(setting, self.operations_token_file)
        if len(token) < MIN_TOKEN_LENGTH:
            raise SettingsError((f"{setting}: expected at least {MIN_TOKEN_LENGTH} characters",))
        return token
