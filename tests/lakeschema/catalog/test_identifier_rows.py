"""The 53 rows of ``identifiers.json``: the proposal for our own commands, Spark for its texts.

The rows come from the proposal "Identifiers for multi-catalog Spark", and from Spark 3.5 and 4.3,
which were asked each row. ``catalogs`` of a row gives each catalog's abilities; null means that it
cannot be loaded. Each distinct text of a result has one meaning here, whatever its row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lakeschema.catalog.abilities import BrowsedCatalog
from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
from lakeschema.catalog.errors import NamespaceMissing, Refusal, SessionRefused
from lakeschema.catalog.name_resolution import (
    FileSource,
    NameForm,
    Resolved,
    TemporaryView,
    WrittenName,
    read_name,
    resolve,
)
from lakeschema.catalog.registered_catalogs import RegisteredCatalog, traits_of
from lakeschema.catalog.session_commands import Answer, NamesShown, run
from lakeschema.catalog.session_statements import read_statement
from lakeschema.catalog.sessions import CatalogTraits, Rules, Session
from tests.lakeschema.catalog.recording_catalogs import FlatCatalog, NestedCatalog, PathCatalog

ROWS: Sequence[Mapping[str, Any]] = json.loads(
    (Path(__file__).parent / "identifiers.json").read_text(encoding="utf-8")
)

NAMESPACES = {
    "spark_catalog": [("default",), ("db1",), ("db1", "x")],
    "cat": [("APP",), ("a",), ("a", "b"), ("foo",), ("foo", "bar")],
}
"""What exists, as far as rows mention it."""

MORE_CATALOGS = {"prod": {"ns": True, "path": False}}
"""A catalog that statements of rows use, but that no row registers."""

TEMPORARY_VIEWS = frozenset({"v1"})

MISSING = "namespace missing"

Observed = Mapping[str, object]
"""Of an outcome: ``meaning`` of a name, ``state`` as catalog/namespace, ``calls``, ``names`` that
are listed, ``chosen`` namespaces, and ``error``."""


@dataclass(frozen=True, slots=True)
class World:
    session: Session
    catalogs: Mapping[str, BrowsedCatalog]
    calls: list[str]


def world_of(row: Mapping[str, Any], rules: Rules) -> World:
    calls: list[str] = []
    catalogs: dict[str, BrowsedCatalog] = {}
    traits: dict[str, CatalogTraits] = {}
    given = {**row["catalogs"], **MORE_CATALOGS}
    # Namespaces of the current catalog that are called like a catalog.
    also = [(name,) for name in given.pop("__ns__", ())]
    for name, abilities in given.items():
        if abilities is None:
            traits[name] = CatalogTraits(not_loaded="its class is missing")
            continue
        kind = PathCatalog if abilities["path"] else NestedCatalog
        catalogs[name] = (
            kind(name, calls, [*NAMESPACES.get(name, ()), *also])
            if abilities["ns"]
            else FlatCatalog(name, calls)
        )
        default = ("default",) if name == "spark_catalog" else ()
        traits[name] = traits_of(
            name, RegisteredCatalog(catalogs[name], CatalogTraits(default_namespace=default))
        )
    session = Session(
        traits,
        row["current_catalog"],
        {row["current_catalog"]: tuple(row["current_namespace"])},
        rules,
        temporary_views=TEMPORARY_VIEWS,
    )
    return World(session, catalogs, calls)


def outcomes(row: Mapping[str, Any], rules: Rules) -> Iterator[Observed]:
    """An outcome for each form of the row's input."""
    asked = row["input"]
    if isinstance(asked, str):
        for text in statements_of(asked):
            yield outcome_of_statements(text.split("; "), world_of(row, rules))
    elif asked[0] in {"USE", "SHOW NAMESPACES IN"}:
        first, *parts = asked
        yield outcome_of_statements([f"{first} {'.'.join(parts)}"], world_of(row, rules))
    elif "(" in asked[0]:
        (name,) = re.findall(r"identifier\((\w+)\)\.path\(\)", asked[0])
        yield outcome_of_name(read_name(name), world_of(row, rules), asks_path=True)
    else:
        for name in names_of(tuple(asked), rules):
            yield outcome_of_name(name, world_of(row, rules))


def statements_of(text: str) -> Iterator[str]:
    """``USE A|B x`` is two statements; so is ``SET x | USE x``. Parentheses hold a remark."""
    for whole in re.sub(r" \(.*\)", "", text).split(" | "):
        words = re.search(r"\w+(?:\|\w+)+", whole)
        choices = [""] if words is None else words[0].split("|")
        yield from (whole if words is None else whole.replace(words[0], word) for word in choices)


def names_of(parts: tuple[str, ...], rules: Rules) -> Iterator[WrittenName]:
    if "PATH" not in parts:
        yield WrittenName(parts)
        return
    path = tuple(part for part in parts if part != "PATH")
    # The proposal writes a path in back-ticks behind a catalog. Spark reads them as a name.
    if rules is Rules.PROPOSAL or len(path) > 1:
        yield WrittenName(path)
    if rules is Rules.PROPOSAL or len(path) == 1:
        yield WrittenName(path, NameForm.PATH)


def outcome_of_name(name: WrittenName, world: World, *, asks_path: bool = False) -> Observed:
    assert read_name(str(name)) == name
    try:
        meaning = resolve(name, world.session)
        if asks_path:
            assert isinstance(meaning, Resolved)
            assert meaning.identifier.path
    except SessionRefused as error:
        return {**observed(world.session, world.calls), "error": error.kind}
    return {**observed(world.session, world.calls), "meaning": meaning}


def outcome_of_statements(texts: Sequence[str], world: World) -> Observed:
    session = world.session
    answer: Answer | None = None
    try:
        for text in texts:
            session, answer = run(read_statement(text, session.rules), session, world.catalogs)
    except (SessionRefused, NamespaceMissing) as error:
        kind = error.kind if isinstance(error, SessionRefused) else MISSING
        return {**observed(session, world.calls), "error": kind}
    names = tuple(answer.names) if isinstance(answer, NamesShown) else None
    return {**observed(session, world.calls), "names": names}


def observed(session: Session, calls: Sequence[str]) -> Observed:
    namespace = ".".join(session.current_namespace) or "[]"
    return {
        "state": f"{session.current_catalog}/{namespace}",
        "catalog": session.current_catalog,
        "chosen": dict(session.chosen),
        "calls": tuple(calls),
        "error": None,
    }


def refused(*kinds: object) -> Observed:
    return {"error": kinds}


ALWAYS_NEEDS_ONE_LEVEL = refused(Refusal.ONE_LEVEL)
MEANINGS: Mapping[str, Observed] = {
    "error:session catalog needs 1-part namespace": ALWAYS_NEEDS_ONE_LEVEL,
    "error:REQUIRES_SINGLE_PART_NAMESPACE": ALWAYS_NEEDS_ONE_LEVEL,
    "error:database not specified": ALWAYS_NEEDS_ONE_LEVEL,
    "error:NESTED_DATABASE_UNSUPPORTED_BY_V1_SESSION_CATALOG": ALWAYS_NEEDS_ONE_LEVEL,
    "error:catalog cannot load": refused(Refusal.NOT_LOADED),
    "error:plugin load failure (no fall-back)": refused(Refusal.NOT_LOADED),
    "error:analysis, namespaces unsupported": refused(Refusal.NO_NAMESPACES),
    "error:no listNamespaces": {**refused(Refusal.NO_NAMESPACES), "calls": ()},
    "error:MISSING_CATALOG_ABILITY.NAMESPACES": {**refused(Refusal.NO_NAMESPACES), "calls": ()},
    "error:analysis, path unsupported": refused(Refusal.NO_PATHS),
    "error:not a path identifier": refused(Refusal.NOT_A_PATH),
    # Spark can neither read nor make a path identifier.
    "not shipped": refused(Refusal.NOT_IN_SPARK, Refusal.NOT_A_PATH),
    "error:not a catalog": {**refused(Refusal.UNKNOWN_CATALOG), "calls": ()},
    "error:SCHEMA_NOT_FOUND": refused(MISSING),
    "error": {**refused(MISSING, Refusal.UNKNOWN_CATALOG), "state": "spark_catalog/default"},
    "error; state unchanged": {
        **refused(MISSING, Refusal.UNKNOWN_CATALOG),
        "state": "spark_catalog/default",
    },
    "plugin rejects": {**refused(MISSING), "calls": ("spark_catalog.listTables([a, b])",)},
    "namespace [cat] of spark_catalog: SCHEMA_NOT_FOUND": {
        **refused(MISSING),
        "calls": ("spark_catalog.loadNamespace([cat])",),
    },
    "parse error; SET CATALOG cat -> cat/[]": refused(Refusal.SYNTAX),
    "parse error (not shipped)": refused(Refusal.SYNTAX),
    "temp view v1": {"meaning": TemporaryView("v1")},
    "file source read of /tmp/x": {
        "meaning": FileSource(
            "parquet",
            "/tmp/x",
            Resolved("spark_catalog", CatalogIdentifier(("parquet",), "/tmp/x")),
        )
    },
    "state:namespace cat.APP of default (erratum) / cat+APP": {"state": "cat/APP"},
    "(per-catalog ns kept by setCurrentNamespace)": {"state": "cat/APP"},
    "cat.setCurrentNamespace(foo.bar); default catalog unchanged": {
        "state": "spark_catalog/default",
        "chosen": {"spark_catalog": ("default",), "cat": ("foo", "bar")},
    },
    "one listTables call, no traversal": {"calls": ("cat.listTables([a])",)},
    "list all, filter by glob: a* matches, a% matches nothing": {
        "calls": ("cat.listNamespaces()",),
        "names": (),
    },
    "as S04": {"calls": ("spark_catalog.listNamespaces()",), "names": ()},
}

OURS: Mapping[str, Observed] = {
    "SHOW TABLES IN cat.APP": {"calls": ("cat.listTables([APP])",)},
    "USE NAMESPACE|DATABASE|SCHEMA cat": {
        **refused(MISSING),
        "calls": ("spark_catalog.loadNamespace([cat])",),
    },
    "USE spark_catalog.db1; USE cat; USE spark_catalog": {"state": "spark_catalog/db1"},
}
"""What our commands do where the proposal says nothing: as Spark, but each catalog keeps its own
namespace."""

_STATE = re.compile(r"state:(\w+)(?:/(\S+))?(?: - .*| \(.*)?")
_CALL = re.compile(r"\w+\.list(?:Namespaces|Tables)\(.*\)")


def expected(row: Mapping[str, Any], column: str) -> Observed:
    said = row[column]
    if isinstance(said, list):
        kind, catalog, namespace, name = said
        identifier = CatalogIdentifier(tuple(namespace), name, is_path=kind == "path")
        return {"meaning": Resolved(catalog, identifier), "calls": ()}
    if said == "(not given)":
        return OURS[row["input"]]
    if said in MEANINGS:
        return MEANINGS[said]
    state = _STATE.fullmatch(said)
    if state is not None:
        catalog, namespace = state.groups()
        return {"catalog": catalog} if namespace is None else {"state": f"{catalog}/{namespace}"}
    assert _CALL.fullmatch(said), said
    current = f"[{', '.join(row['current_namespace'])}]"
    return {"calls": (said.replace("(current)", f"({current})").replace("([])", "()"),)}


def check(row: Mapping[str, Any], column: str, rules: Rules) -> None:
    wanted = {"error": (None,), **expected(row, column)}
    found = list(outcomes(row, rules))
    assert found
    for outcome in found:
        for key, value in wanted.items():
            if key == "error":
                assert isinstance(value, tuple)
                assert outcome["error"] in value, outcome
            else:
                assert outcome.get(key) == value, outcome


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_our_commands_follow_the_proposal(row: Mapping[str, Any]) -> None:
    check(row, "spip", Rules.PROPOSAL)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_names_in_spark_text_mean_what_they_mean_in_spark(row: Mapping[str, Any]) -> None:
    check(row, "spark", Rules.SPARK)


def test_no_row_is_missing() -> None:
    assert len({row["id"] for row in ROWS}) == 53


def test_each_statement_makes_at_most_one_call() -> None:
    for row in ROWS:
        if not isinstance(row["input"], str):
            continue
        for rules in Rules:
            for outcome, text in zip(
                outcomes(row, rules), statements_of(row["input"]), strict=True
            ):
                calls = outcome["calls"]
                assert isinstance(calls, tuple)
                assert len(calls) <= len(text.split("; ")), (row["id"], outcome)
