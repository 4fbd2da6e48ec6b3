"""Packages from the service, installed from an index as their consumers do."""

from __future__ import annotations

import datetime as dt
import importlib
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from codegen.naming import distribution_name, import_name
from lakeschema.catalog.identifiers import RelationName
from publisher.commands.snapshot import run_snapshot
from publisher.settings import load_settings
from tests.integration.consumer.kinds import Kind

PREFIX = "acme-schema"
TOP = "acme_schemas"
CURRENT = "1.1.0"
PLACED_AT = dt.datetime(2024, 1, 31, 23, 59, 59, 123456, tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True)
class Installed:
    """A relation's package: the index that has it, and a folder where each version is installed."""

    relation: RelationName
    simple_url: str
    sites: Mapping[str, Path]

    @property
    def distribution(self) -> str:
        return distribution_name(self.relation, PREFIX)

    @property
    def import_name(self) -> str:
        return import_name(self.relation, PREFIX)

    @property
    def site(self) -> Path:
        return self.sites[CURRENT]

    @contextmanager
    def version(self, number: str) -> Iterator[Any]:
        """The package of that version, imported while it is needed."""
        with imported_from(self.sites[number]):
            yield importlib.import_module(self.import_name)

    def ran(self, program: str, *arguments: str | Path) -> str:
        """What a program printed that a consumer runs with the package on its path."""
        return ran(sys.executable, "-W", "error", "-c", program, *arguments, path=self.site)


@dataclass(frozen=True, slots=True)
class Shop:
    """A kind of relation with its package, of which three versions are installed."""

    kind: Kind
    installed: Installed

    @property
    def simple_url(self) -> str:
        return self.installed.simple_url

    @property
    def sites(self) -> Mapping[str, Path]:
        return self.installed.sites

    @property
    def distribution(self) -> str:
        return self.installed.distribution

    @property
    def import_name(self) -> str:
        return self.installed.import_name

    @property
    def site(self) -> Path:
        return self.installed.site

    def version(self, number: str) -> AbstractContextManager[Any]:
        """The package of that version, imported while it is needed."""
        return self.installed.version(number)

    def order(self, package: Any, **changes: Any) -> Any:
        """A record of the package with known values."""
        ship, line = getattr(package, self.kind.ship), getattr(package, self.kind.line)
        known = {
            "id": 7,
            "customer": "Ada",
            "total": Decimal("12.50"),
            "placed_at": PLACED_AT,
            "day": dt.date(2024, 1, 31),
            "paid": True,
            "photo": b"\0\xff",
            "tags": ["new", None],
            "counts": {"a": 1},
            "ship": ship(city="Acton", zip=1720),
            "lines": [line(sku="s-1", price=Decimal("6.25"))],
        }
        return package.RECORD.example().replace(**known | changes)

    def ran(self, program: str, *arguments: str | Path) -> str:
        """What a program printed that a consumer runs with the package on its path."""
        return self.installed.ran(program, *arguments)


@contextmanager
def imported_from(site: Path) -> Iterator[None]:
    """Imports find the packages of that folder, and forget them afterwards."""
    sys.path.insert(0, str(site))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(site))
        for name in [n for n in sys.modules if n.partition(".")[0] == TOP]:
            del sys.modules[name]


def ran(
    *command: str | Path, path: Path | None = None, cwd: Path | None = None, status: int = 0
) -> str:
    """What a command printed; pip and uv see none of this machine's settings.

    Raises:
        AssertionError: it ended with another status.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "PYTHON", "UV_"))}
    environment = {**kept, "PIP_CONFIG_FILE": os.devnull, "UV_NO_CONFIG": "1"}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    ended = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, env=environment, cwd=cwd, check=False
    )
    assert ended.returncode == status, ended.stdout[-3000:] + ended.stderr[-3000:]
    return ended.stdout


def publish(days: Iterable[str], folder: Path, *, dialect: str, include: str, index: str) -> None:
    """Publishes what changes from each day's DDL to the next.

    Args:
        include: the pattern of the relations that get packages.
        index: the settings of the index, in TOML.
    """
    (folder / "ddl").mkdir()
    config = folder / "schema-publisher.toml"
    config.write_text(
        f"""\
[artifacts]
prefix = "{PREFIX}"
include = ["{include}"]
[catalog]
kind = "ddl"
path = "{folder}/ddl"
dialect = "{dialect}"
[state]
url = "sqlite:///{folder}/state.db"
[index]
{index}
[engine]
debounce_seconds = 0
staleness_seconds = 0
"""
    )
    # Only its owner may read a file with a password.
    config.chmod(0o600)
    settings = load_settings(config)
    for statements in days:
        (folder / "ddl" / "lake.sql").write_text(statements)
        report = run_snapshot(settings, "local")
        assert report.counters.get("published"), report
        assert not report.undone, report


def install(requirement: str, simple_url: str, target: Path) -> Path:
    return install_all([requirement], simple_url, target)


def install_all(requirements: Iterable[str], simple_url: str, target: Path) -> Path:
    """A folder in which uv installed these packages."""
    uv = (sys.executable, "-m", "uv", "pip", "install", "--no-cache")
    ran(*uv, "--index-url", simple_url, "--target", target, *requirements)
    return target
