"""The sections for state, snapshots, ``plan``, the engine and HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, SecretStr, model_validator

from publisher.settings.errors import SettingsError
from publisher.settings.fields import SQLITE, Port, PublicUrl, StateUrl, without_password
from publisher.settings.secrets import given_secret, secret_in_file
from publisher.settings.section import Section

MIN_TOKEN_LENGTH = 16

Runner: TypeAlias = Literal["spark", "local"]
"""Where a snapshot reads and derives: on Spark's executors, or in the service's process."""

RunnerChoice: TypeAlias = Literal["auto", "spark", "local"]
"""``auto``: the runner that suits the catalog's size and is installed."""


class State(Section):
    url: StateUrl = f"{SQLITE}state.db"
    """`sqlite:///FILE`, a file on a local disk; an absolute path has four slashes. Or
    `postgresql+psycopg://USER@HOST/NAME`, a database for [several replicas](operations.md#state-on-postgresql),
    with the extra `postgresql`; libpq's options follow a `?`, such as `?sslmode=verify-full`."""

    password: SecretStr | None = None
    """For PostgreSQL: the password of the URL's user. Set it here or in the URL, not in
    both; `password_file` is safer.
    """

    password_file: Path | None = None
    """For PostgreSQL: a file that holds the password and nothing else. It is read at each connection."""

    @model_validator(mode="before")
    @classmethod
    def _without_password(cls, given: Any) -> Any:
        """Moves a password out of the URL, which is shown."""
        if not isinstance(given, Mapping) or not isinstance(url := given.get("url"), str):
            return given
        bare, password = without_password(url)
        if password is None:
            return given
        if given.get("password") is not None:
            raise ValueError("only one of password and the password in url can be used")
        return {**given, "url": bare, "password": password}

    @model_validator(mode="after")
    def _for_postgresql(self) -> Self:
        given = [s for s in ("password", "password_file") if getattr(self, s) is not None]
        if given and self.file is not None:
            raise ValueError(f"{given[0]} does nothing for a file")
        if len(given) > 1:
            raise ValueError("only one of password and password_file can be used")
        return self

    @property
    def file(self) -> Path | None:
        """The file of SQLite; None for a database of PostgreSQL."""
        if not self.url.startswith(SQLITE):
            return None
        return Path(self.url.removeprefix(SQLITE))

    def current_password(self) -> str | None:
        """The password, read again from its file.

        Raises:
            SettingsError: the file is not readable.
        """
        return given_secret("state", self.password, self.password_file)


class Snapshot(Section):
    interval_seconds: Annotated[float, Field(gt=0)] = 3600.0
    """The time between two snapshots of the service."""

    on_start: bool = True
    """Whether the service begins with a snapshot."""

    removed_catalogs: tuple[str, ...] = ()
    """Catalogs that you [removed](many-catalogs.md#remove-a-catalog) on purpose, by their names."""

    runner: RunnerChoice = "auto"
    """`"spark"`: reads and derives on Spark's executors, with the extra `spark`.

    `"local"`: reads and derives in one process. `"auto"`: on Spark for a catalog of kind `"spark"`,
    and from 10,000 relations on if the extra is installed; else in one process."""

    tasks: Annotated[int, Field(ge=1)] = 2
    """On Spark: the number of tasks that run at the same time. It is also the number of local cores if
    `conf` sets no master.
    """

    conf: Mapping[str, str] = Field(default_factory=dict, repr=False)
    """On Spark: settings of the session, such as `"spark.master"`."""


class Planning(Section):
    """Files that tell ``plan`` who uses the packages and relations."""

    lock_files: tuple[Path, ...] = ()
    """Requirements and lock files of the packages' users, or folders that hold such files."""

    downloads: Path | None = None
    """How often each package was downloaded: a `.csv` or `.json` file, or a web server's access log."""

    query_log: Path | None = None
    """Queries that were run: a file of SQL or JSON Lines, or a folder of them."""

    query_dialect: Literal["hive", "spark"] = "spark"
    """The dialect of the queries in `query_log`."""


class Engine(Section):
    debounce_seconds: Annotated[float, Field(ge=0)] = 5.0
    """A relation that changes must be quiet for this long before it is published."""

    max_wait_seconds: Annotated[float, Field(ge=0)] = 60.0
    """A relation that keeps changing is published at most this long after its first change."""

    workers: Annotated[int, Field(ge=1, le=64)] = 2
    """The number of threads. Each has a process for derivations."""

    derivation_timeout_seconds: Annotated[float, Field(gt=0)] = 30.0
    """A derivation is killed after this time."""

    max_sql_bytes: Annotated[int, Field(ge=1)] = 1_000_000
    """A longer view text is refused."""

    drop_grace_seconds: Annotated[float, Field(ge=0)] = 300.0
    """A relation counts as dropped when two readings, this many seconds apart, do not find it."""

    stuck_after_seconds: Annotated[float, Field(gt=0)] = 600.0
    """`/health/ready` fails when one turn of a worker or an event source takes longer."""

    max_backoff_seconds: Annotated[float, Field(gt=0)] = 14_400.0
    """The longest delay of a relation that keeps failing alone, for example because the index
    refuses its upload. A change or `resync` retries it at once."""

    max_dead_letters: Annotated[int, Field(ge=0)] = 1000
    """How many undecodable events are kept, the newest first; at most 60 a minute from each
    source."""

    max_dead_letter_bytes: Annotated[int, Field(ge=0)] = 16_777_216
    """How many bytes of undecodable events are kept, the newest first; at most 64 kB of each
    event."""

    max_dead_letter_days: Annotated[float, Field(gt=0)] = 30.0
    """How long undecodable events are kept."""

    max_lag_seconds: Annotated[float, Field(ge=0)] = 60.0
    """How long to wait while an event's id is above the catalog's current id. After that the service
    accepts the catalog's answer, and reads the relation once more.
    """

    max_versions_per_hour: Annotated[int, Field(ge=1)] = 12
    """The limit for one relation. Further versions wait until the oldest version of the last hour is an
    hour old. Then the newest content is published. `status` says so.
    """

    mass_change: Literal["canary", "confirm", "off"] = "canary"
    """What happens when an upgrade, or a changed option of `[translation]` or `[artifacts]`,
    affects more than ten relations and a fifth of all. `"canary"`: if the effect is in doubt, up to
    twenty are derived first. All wait for `schema-publisher confirm-changes` if this would publish
    new versions of more than ten packages and a fifth of all. `"confirm"`: always wait; `"off"`:
    never. See [operations](operations.md#changes-by-an-upgrade-or-a-setting)."""

    max_deletions: Annotated[int, Field(ge=0)] = 10
    """Deletions wait for `schema-publisher confirm-deletions` if more relations of a database, or of the
    catalog, are missing than this number, and more than `max_deletion_share`. If both are 0, every
    deletion waits. The same limits hold for versions that the index has lost. See
    [operations](operations.md#dropped-relations).
    """

    max_deletion_share: Annotated[float, Field(ge=0, le=1)] = 0.2
    """The second limit for deletions: a share of all relations of the database or of the catalog. See
    `max_deletions`.
    """

    staleness_seconds: Annotated[float, Field(ge=0)] = 2.0
    """How old a catalog's answer may be. It matters after an event without an event id."""


class Http(Section):
    enabled: bool = True
    """`false` turns off HTTP."""

    host: str = "127.0.0.1"
    """The address to listen on. Read [security](../SECURITY.md#run-it-safely) before you change
    it."""

    port: Port = 8765
    """0 takes a free port."""

    public_url: PublicUrl | None = None
    """The address at which installers reach the index, such as `"https://packages.example"`.

    Commands on pages show it, and packages link to their pages. Without it pages show the address
    that the reader used, and packages have no such links. A changed address publishes no version; a
    lost file with the earlier address cannot be built again. If `host` is an address of this
    machine only and there is no `operations_token_file`, requests for unknown hosts are refused
    with 421. Accepted are this host, IP addresses, and names that no other site can have."""

    operations_port: Port | None = None
    """A separate port for the dashboard, `/metrics` and the reasons of health checks. `port` then serves
    only packages, and health checks without reasons.
    """

    operations_token_file: Path | None = None
    """A file with a token of at least 16 characters that protects the dashboard, `/metrics` and the
    reasons of health checks. Clients send it as `Authorization: Bearer …`, or as the password that
    a browser asks for, with any name."""

    max_connections: Annotated[int, Field(ge=8, le=65536)] = 256
    """How many connections may be open, on `port` and `operations_port` each; at most a quarter of
    the process's file descriptors. Beyond it, a new connection replaces one whose client neither
    sends nor reads, from the address with the most connections of this kind. A connection is not closed
    while the service works on its answer; this protects at most half of the connections.
    """

    def operations_token(self) -> str | None:
        """The token from the file; None without a file.

        Raises:
            SettingsError: the file is not readable, or the token could be guessed.
        """
        if self.operations_token_file is None:
            return None
        setting = f"http.operations_token_file ({self.operations_token_file})"
        token = secret_in_file(setting, self.operations_token_file)
        if len(token) < MIN_TOKEN_LENGTH:
            raise SettingsError((f"{setting}: expected at least {MIN_TOKEN_LENGTH} characters",))
        return token
