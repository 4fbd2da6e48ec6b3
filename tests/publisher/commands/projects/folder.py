"""A project over tables in a folder of DDL."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from publisher.commands.cli import app

PROJECT = 'name = "shop-views"\ndatabase = "shop"\nowner = "team"\n'
SETTINGS = """\
[catalog]
kind = "ddl"
path = "ddl"
[artifacts]
prefix = "acme"
[index]
kind = "static"
path = "index"
[state]
url = "sqlite:///state.db"
[snapshot]
runner = "local"
[translation.udfs]
"com.example.Clean" = { returns = "string" }
"""
TABLES = """\
CREATE DATABASE shop;
CREATE TABLE shop.orders (Id BIGINT, Note STRING);
"""


@dataclass(frozen=True, slots=True)
class Folder:
    path: Path

    @classmethod
    def at(cls, path: Path, **views: str) -> Folder:
        """A project with these queries by name."""
        found = cls(path)
        queries = {f"views/{name}.sql": text for name, text in views.items()}
        found.write(
            {
                "project.toml": PROJECT,
                "schema-publisher.toml": SETTINGS,
                "ddl/tables.sql": TABLES,
                **queries,
            }
        )
        return found

    def write(self, files: dict[str, str]) -> None:
        for place, text in files.items():
            file = self.path / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def run(self, command: str, *options: str) -> Result:
        return CliRunner().invoke(app, ["project", command, str(self.path), *options])

    def checked(self) -> list[str]:
        """The problems that check finds, one a line."""
        result = self.run("check", "--format", "json")
        if not result.stdout:
            assert result.exit_code in {1, 2}
            lines = (line for line in result.stderr.splitlines() if "deriving" not in line)
            return [line.removeprefix("schema-publisher: ") for line in lines]
        found: dict[str, Any] = json.loads(result.stdout)
        problems = found["project"]["problems"]
        assert result.exit_code == (1 if found["breaks"] else 0), result.output
        return [
            f"{p['file']}: {p['message']}" + (f" ({p['hint']})" if p["hint"] else "")
            for p in problems
        ]
