"""Knows the DDL that Spark refuses, by the relation's provider, from recorded answers.

``spark_refusals.txt`` names the providers and the version of Spark. It has a row for each kind of
change (``ddl_kinds``), with a character for each provider: ``.`` means accepted, ``?`` means not
tested, and a letter stands for an error class. The file's head explains the letters. Untested kinds
are not refused. ``make probe-ddl`` records the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.catalog.storage_formats import PROVIDER

_VIEW: Final = "view"
_HIVE: Final = "hive"
"""The provider of a table that names no provider."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Spark's answers. A row has only the providers that were tested."""

    versions: Mapping[str, str]
    """The version of Spark that answered, by provider."""
    errors: Mapping[str, Mapping[str, str]]
    """The error class by kind and provider, empty if Spark accepts."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Spark's refusal of one kind of change to relations of one provider."""

    kind: str
    provider: str
    error: str
    version: str

    def of(self, name: RelationName) -> str:
        """The refusal as a message for people."""
        whose = "a view" if self.provider == _VIEW else f"a table of the provider {self.provider}"
        # Spark does not show these classes.
        error = "" if self.error.startswith("_LEGACY_ERROR") else f": [{self.error}]"
        return f"Spark {self.version} refuses {self.kind} for {name}, which is {whose}{error}"

    @property
    def hint(self) -> str:
        if self.provider == _VIEW:
            return "change a view by ALTER VIEW or CREATE OR REPLACE VIEW"
        return (
            "make a new table with the columns that you want, by CREATE TABLE … AS SELECT; "
            "if another engine runs the statement, name it with --dialect"
        )


def refusal(relation: Relation, kinds: Iterable[str]) -> Refusal | None:
    """The first of the kinds that Spark refuses; None if the provider is unknown."""
    provider = _provider(relation)
    if provider is None:
        return None
    recorded = recorded_answers()
    for kind in kinds:
        error = recorded.errors.get(kind, {}).get(provider)
        if error:
            return Refusal(kind, provider, error, recorded.versions[provider])
    return None


def _provider(relation: Relation) -> str | None:
    if relation.is_view:
        return _VIEW
    properties = relation.properties
    if properties.get("table_type", "").lower() == "iceberg":
        return "iceberg"
    provider = properties.get(PROVIDER)
    if provider is not None:
        return provider.lower()
    return _HIVE if relation.serde and "storage_handler" not in properties else None


@cache
def recorded_answers() -> Answers:
    file = files("lakeschema.catalog") / "spark_refusals.txt"
    return parse_answers(file.read_text(encoding="utf-8"))


def parse_answers(text: str) -> Answers:
    head, _, body = text.partition("\n\n")
    errors = dict(line.split(" ", 1) for line in head.splitlines())
    first, *rows = body.splitlines()
    versions = dict(word.split("=", 1) for word in first.split())
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        cells, kind = row[: len(versions)], row[len(versions) :].strip()
        found[kind] = {
            provider: "" if cell == "." else errors[cell]
            for provider, cell in zip(versions, cells, strict=True)
            if cell != "?"
        }
    return Answers(versions, found)


def print_answers(answers: Answers) -> str:
    """The text that ``parse_answers`` reads."""
    errors = sorted({error for row in answers.errors.values() for error in row.values() if error})
    letters = {"": ".", **{error: chr(ord("A") + place) for place, error in enumerate(errors)}}
    rows = (
        "".join(letters.get(row.get(provider, "?"), "?") for provider in answers.versions)
        + f" {kind}"
        for kind, row in answers.errors.items()
    )
    head = (f"{letter} {error}" for error, letter in letters.items() if error)
    first = " ".join(f"{provider}={version}" for provider, version in answers.versions.items())
    return "\n".join([*head, "", first, *rows, ""])
