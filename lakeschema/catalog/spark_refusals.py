"""What Spark refuses of DDL, by the provider of the relation: recorded from Spark, and looked up here.

``spark_refusals.txt`` names the providers with the version of Spark that was asked. It has a row for each kind of change
(``ddl_kinds``) and in it a character for each provider: ``.`` is accepted, ``?`` not asked, a letter the class of error
that the head of the file names. What was not asked is not refused. ``make probe-ddl`` asks Spark.
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
"""What Spark calls a table without a provider."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What Spark answered. A row lacks the providers that were not asked."""

    versions: Mapping[str, str]
    """Of the Spark that answered, by provider."""
    errors: Mapping[str, Mapping[str, str]]
    """The class of error by kind and provider, empty if Spark accepts."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Spark's answer to one kind of change of relations of one provider."""

    kind: str
    provider: str
    error: str
    version: str

    def of(self, name: RelationName) -> str:
        """For people."""
        whose = "a view" if self.provider == _VIEW else f"a table of the provider {self.provider}"
        # Spark does not show these classes to people.
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
    """The first of the kinds that Spark refuses; None if the provider is not known."""
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
    """What ``parse_answers`` reads."""
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
