"""A server in memory that takes the statements of ``register``; its refusals can be chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping

from publisher.commands.registering.registration import ServerUnavailable, StatementRefused

_NAME = r'"(?:[^"]|"")*"'
_TEXT = r"'(?:[^']|'')*'"
_SCHEMA = re.compile(rf"CREATE SCHEMA ({_NAME})\.({_NAME})")
_CREATE = re.compile(
    rf"CREATE (OR REPLACE )?VIEW ({_NAME})\.({_NAME})\.({_NAME}) COMMENT (?:U&)?({_TEXT}) AS ([\s\S]+)"
)
_COLUMN = re.compile(
    rf"COMMENT ON COLUMN ({_NAME})\.({_NAME})\.({_NAME})\.({_NAME}) IS (?:U&)?({_TEXT})"
)
_VIEW = re.compile(rf"COMMENT ON VIEW ({_NAME})\.({_NAME})\.({_NAME}) IS (?:U&)?({_TEXT})")


class FakeTrino:
    """One catalog, ``lake``.

    Attributes:
        relations: the comment of each, by schema and name.
        statements: all that were run.
        refuses: a text that no statement may hold.
        answers: how many statements are answered before the server is away.
    """

    def __init__(self) -> None:
        self.relations: dict[str, dict[str, str | None]] = {"trino_shop": {}}
        self.columns: dict[tuple[str, str, str], str] = {}
        self.statements: list[str] = []
        self.refuses = "\0"
        self.answers = 1_000_000

    def comments(self, catalog: str, schema: str) -> Mapping[str, str | None] | None:
        if catalog != "lake":
            raise StatementRefused(f"Catalog '{catalog}' not found")
        return self.relations.get(schema)

    def run(self, statement: str) -> None:
        if len(self.statements) == self.answers:
            raise ServerUnavailable("http://trino:8080 does not answer")
        if self.refuses in statement:
            raise StatementRefused(f"it has {self.refuses!r}")
        self.statements.append(statement)
        if made := _SCHEMA.fullmatch(statement):
            self.relations[_name(made[2])] = {}
        elif made := _CREATE.fullmatch(statement):
            schema, view = _name(made[3]), _name(made[4])
            if view in self.relations[schema] and not made[1]:
                raise StatementRefused("View already exists")
            self.relations[schema][view] = _text(made[5])
        elif made := _COLUMN.fullmatch(statement):
            self.columns[_name(made[2]), _name(made[3]), _name(made[4])] = _text(made[5])
        elif made := _VIEW.fullmatch(statement):
            self.relations[_name(made[2])][_name(made[3])] = _text(made[4])
        else:
            raise StatementRefused(f"syntax: {statement}")


def _name(quoted: str) -> str:
    return quoted[1:-1].replace('""', '"')


def _text(literal: str) -> str:
    # Of what `string` escapes, the tests need the end of a line.
    return literal[1:-1].replace("''", "'").replace("\\000a", "\n")
