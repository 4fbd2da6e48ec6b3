"""The packages of one kind of relation, published by the service and installed from its index."""

from __future__ import annotations

import datetime as dt
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from codegen.naming import distribution_name, import_name
from publisher.commands.snapshot import run_snapshot
from publisher.settings import load_settings
from tests.integration.consumer.kinds import VERSIONS, Kind

PREFIX = "acme-schema"
CURRENT = "1.1.0"
PLACED_AT = dt.datetime(2024, 1, 31, 23, 59, 59, 123456, tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True)
class Shop:
    """A kind with the index that has its three versions, and a folder where each is installed."""

    kind: Kind
    simple_url: str
    sites: Mapping[str, Path]

    @property
    def distribution(self) -> str:
        return distribution_name(self.kind.relation, PREFIX)

    @property
    def import_name(self) -> str:
        return import_name(self.kind.relation, PREFIX)

    @property
    def site(self) -> Path:
        return self.sites[CURRENT]

    @contextmanager
    def version(self, number: str) -> Iterator[Any]:
        """The package of that version, imported while it is needed."""
        sys.path.insert(0, str(self.sites[number]))
        importlib.invalidate_caches()
        try:
            yield importlib.import_module(self.import_name)
        finally:
            sys.path.remove(str(self.sites[number]))
            top = self.import_name.partition(".")[0]
            for name in [n for n in sys.modules if n.partition(".")[0] == top]:
                del sys.modules[name]

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

    def ran(self, program: str, *arguments: str) -> str:
        """What a program printed that a consumer runs with the package on its path."""
        return ran(sys.executable, "-W", "error", "-c", program, *arguments, path=self.site)


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


def publish(kind: Kind, folder: Path) -> Path:
    """The index into which the service published each version as the DDL changed."""
    (folder / "ddl").mkdir()
    config = folder / "schema-publisher.toml"
    config.write_text(
        f"""\
[artifacts]
prefix = "{PREFIX}"
include = ["{kind.relation}"]
[catalog]
kind = "ddl"
path = "{folder}/ddl"
dialect = "{kind.dialect}"
[state]
url = "sqlite:///{folder}/state.db"
[index]
kind = "static"
path = "{folder}/index"
[engine]
debounce_seconds = 0
staleness_seconds = 0
"""
    )
    settings = load_settings(config)
    for version in VERSIONS:
        statements = f"CREATE DATABASE shop;\n{kind.statements(version)}"
        (folder / "ddl" / "shop.sql").write_text(statements)
        report = run_snapshot(settings, "local")
        assert report.counters.get("published") == 1, report
    return folder / "index"


def install(requirement: str, simple_url: str, target: Path) -> Path:
    uv = (sys.executable, "-m", "uv", "pip", "install", "--no-cache")
    ran(*uv, "--index-url", simple_url, "--target", target, requirement)
    return target
