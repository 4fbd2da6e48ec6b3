"""A deployment that consists only of files, and the command line for it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from publisher.commands.cli import app
from publisher.daemon.assembly import build_state
from publisher.settings import load_settings
from publisher.state.protocol import State

TABLES = """\
CREATE TABLE shop.orders (id bigint, note string);
CREATE VIEW shop.ids AS SELECT id FROM shop.orders;
CREATE VIEW shop.wrong AS SELECT nothing FROM shop.orders;
"""
WRONG = "shop.wrong: column nothing does not exist at line 1, column 8 (the columns are id, note)"


@dataclass(frozen=True, slots=True)
class Ended:
    status: int
    out: str
    err: str

    @property
    def lines(self) -> Sequence[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


class Folder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "schema-publisher.toml"
        (path / "ddl").mkdir()
        self.write_settings()
        self.write_ddl(TABLES)

    def write_ddl(self, text: str) -> None:
        (self.path / "ddl" / "tables.sql").write_text(text)

    def write_settings(self, *, artifacts: str = "", rest: str = "") -> None:
        self.config.write_text(
            f"""\
[artifacts]
prefix = "acme-schema"
{artifacts}
[catalog]
kind = "ddl"
path = "{self.path}/ddl"
[state]
url = "sqlite:///{self.path}/state.db"
[index]
kind = "static"
path = "{self.path}/index"
[snapshot]
runner = "local"
[engine]
debounce_seconds = 0
staleness_seconds = 0
drop_grace_seconds = 0
{rest}
"""
        )

    def run(self, command: str, *arguments: str, env: Mapping[str, str] | None = None) -> Ended:
        """With output that is no terminal."""
        return run(command, *arguments, "--config", str(self.config), env=env)

    def people(self, command: str, *arguments: str) -> str:
        """What a person reads, on one line each."""
        ended = self.run(command, *arguments, "--no-json", env={"COLUMNS": "300"})
        assert ended.status in {0, 1}, ended
        return "\n".join(line.rstrip() for line in ended.out.splitlines())

    def state(self) -> closing[State]:
        return closing(build_state(load_settings(self.config)))


def run(*arguments: str, env: Mapping[str, str] | None = None) -> Ended:
    result = CliRunner().invoke(app, list(arguments), env=env, prog_name="schema-publisher")
    return Ended(result.exit_code, result.stdout, result.stderr)
