"""Requests as bytes → answers in both forms, or the facts that are needed first."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.deriving.derivation_json import interface_to_json
from lakeschema.translation.deriving.with_upstreams import derive_with_upstreams
from lakeschema.translation.model.interface import Casing, Options
from lakeschema.translation.requests.answering import answer_translations
from lakeschema.translation.requests.limited_answers import (
    Answer,
    Form,
    Result,
    Told,
    Wanted,
    question,
    read_answer,
)

DEFAULTS = Options()
T = RelationName.of("db", "t")
TABLE = "CREATE DATABASE db; CREATE TABLE db.t (id INT, name STRING)"


def ask(
    request: bytes,
    form: Form = Form.JSON,
    told: Told | None = None,
    options: Options = DEFAULTS,
    max_bytes: int = 100_000,
) -> Answer | Wanted:
    answer = answer_translations((options, max_bytes))
    return read_answer(answer(question(request, form, told or Told())))


def answered(request: bytes, **more: Any) -> tuple[Result, dict[str, Any]]:
    answer = ask(request, **more)
    assert isinstance(answer, Answer)
    return answer.result, json.loads(answer.text)


@pytest.mark.parametrize(
    ("request_", "type_", "named"),
    [
        (b"", "InvalidRequest", "not one JSON document"),
        (b"{", "InvalidRequest", "not one JSON document"),
        (b"\xff\xfe\x00", "InvalidRequest", "not one JSON document"),
        (b'{"query": "SELECT 1"}\n{"query": "SELECT 1"}', "InvalidRequest", "not one JSON"),
        (b"[" * 100_000, "InvalidRequest", "not one JSON document"),
        (b"[]", "InvalidRequest", "a JSON object"),
        (b'{"query": ["SELECT"]}', "InvalidRequest", "'query'"),
        (b'{"query": ""}', "InvalidRequest", "'query'"),
        (b"{}", "InvalidRequest", "'relation'"),
        (b'{"relation": "a..b"}', "MalformedName", "a..b"),
        (b'{"relation": "\\ud800"}', "InvalidRequest", "surrogates not allowed"),
        (b'{"query": "SELECT 1 AS `\\ud800`"}', "InvalidRequest", "surrogates not allowed"),
        (b'{"query": "SELECT 1 AS x", "relation": "\\u0000"}', "MalformedName", "is not a relation name"),
        (b'{"query": "SELECT 1 AS x", "relation": "%s"}' % (b"x" * 3_000), "MalformedName", "xxx"),
        (b'{"query": "SELECT 1 AS x", "to": "cobol"}', "InvalidRequest", "'lineage'"),
        (b'{"query": "SELECT 1 AS x", "to": ["avro"]}', "InvalidRequest", "'avro'"),
        (b'{"query": "SELECT 1 AS x", "dialect": {}}', "InvalidRequest", "'hive'"),
        (b'{"query": "SELECT 1 AS x", "udf_resolver": "os.system"}', "InvalidRequest", "unknown key"),
        (b'{"query": "SELECT 1 AS x", "options": {"udf_resolver": "x"}}', "InvalidRequest", "unknown option"),
        (b'{"query": "SELECT 1 AS x; SELECT 2 AS y"}', "MalformedSql", "more than one statement"),
        (b'{"query": "DROP TABLE shop.orders"}', "MalformedSql", ""),
        (b'{"query": "SELECT frob(1) AS x", "to": "trino"}', "UnsupportedFunction", "frob"),
        (b'{"ddl": ["ALTER TABLE shop.orders ADD COLUMNS (x INT)"], "relation": "shop.orders"}', "MalformedDdl", "there is no"),
    ],
)  # fmt: skip
def test_a_bad_request_is_told_what_is_wrong(request_: bytes, type_: str, named: str) -> None:
    result, found = answered(request_)

    assert result in {Result.INVALID, Result.UNTRANSLATABLE}
    assert found["error"]["type"] == type_
    assert named in found["error"]["message"]


def test_what_is_read_and_not_brought_is_wanted() -> None:
    query = b'{"query": "SELECT id FROM db.t JOIN db.u USING (id)", "to": "trino"}'
    script = b'{"query": "SELECT id FROM db.t", "to": "pig"}'

    read = ask(query)
    assert isinstance(read, Wanted)
    assert (set(read.interfaces), read.relations) == ({T, RelationName.of("db", "u")}, ())
    assert ask(script) == Wanted(relations=(T,))
    assert ask(b'{"relation": "DB.t"}') == Wanted(names=("DB.t",))
    assert ask(b'{"relation": "DB.t"}', told=Told(names={"DB.t": "db.t"})) == Wanted(relations=(T,))


def test_what_is_told_is_used_and_what_does_not_exist_is_not_asked_again() -> None:
    interface = derive_with_upstreams(T, relations_from_ddl([TABLE]), Options())[T].interface
    told = Told(interfaces={"db.t": interface_to_json(interface), "db.u": None})

    _, found = answered(b'{"id": [1], "query": "SELECT NAME FROM db.t"}', told=told)
    result, missing = answered(b'{"query": "SELECT id FROM db.u"}', told=told)

    assert found["id"] == [1]
    assert [field["name"] for field in found["result"]["fields"]] == ["name"]
    assert (result, missing["error"]["type"]) == (Result.UNTRANSLATABLE, "UnknownRelation")


def test_facts_that_are_told_are_derived_here() -> None:
    told = Told(names={"db.t": "db.t"})
    told.add_relation(T, relations_from_ddl([TABLE])[T], {})

    _, found = answered(b'{"relation": "db.t"}', told=told)

    assert [field["name"] for field in found["result"]["fields"]] == ["id", "name"]


def test_the_deployments_options_hold_where_a_request_says_nothing() -> None:
    request = {"query": "SELECT 1 AS `One`"}
    changed = {**request, "options": {"casing": "preserve"}}
    lower = Options(casing=Casing.LOWER)

    names = [
        answered(json.dumps(each).encode(), options=lower)[1]["result"]["fields"][0]["name"]
        for each in (request, changed)
    ]

    assert names == ["one", "One"]


@pytest.mark.parametrize("target", ["spark", "trino", "hive", "pig", "avro", "lineage", "plan"])
def test_people_see_the_text_and_what_it_needs_apart(target: str) -> None:
    request = json.dumps(
        {
            "ddl": [TABLE],
            "query": "SELECT id AS x FROM db.t",
            "to": target,
            # Views of Hive's need no text for Hive.
            "dialect": "spark" if target == "hive" else "hive",
        }
    ).encode()

    answer = ask(request, Form.TEXT)

    assert isinstance(answer, Answer)
    assert answer.result is Result.OK
    text = answer.text.decode()
    begins = {
        "spark": "SELECT",
        "trino": "SELECT",
        "hive": "SELECT",
        "pig": "SET",
        "plan": "project",
        "avro": "{\n",
        "lineage": "{\n",
    }
    assert text.startswith(begins[target])
    if target == "spark":
        assert answer.details == (
            "It needs the session's setting spark.sql.ansi.enabled = false.",
            "It gives `x` INT.",
        )
    assert bool(answer.details) == (target in {"spark", "trino", "hive", "pig"})


def test_people_see_an_error_with_its_hint() -> None:
    answer = ask(b'{"query": "SELECT 1 AS x; SELECT 2"}', Form.TEXT)

    assert isinstance(answer, Answer)
    assert answer.text.decode().splitlines() == [
        "the text has more than one statement",
        "a view's text is one query",
    ]


@pytest.mark.parametrize("form", list(Form), ids=str)
def test_an_answer_that_is_too_long_is_refused(form: Form) -> None:
    items = ", ".join(f"{n} AS column_{n}" for n in range(100))
    request = json.dumps({"query": f"SELECT {items}"}).encode()

    answer = ask(request, form, max_bytes=2000)

    assert isinstance(answer, Answer)
    assert answer.result is Result.UNTRANSLATABLE
    assert b"more than the 2000 bytes allowed" in answer.text


def test_lineage_says_what_values_are_made_of_and_what_decides_them() -> None:
    query = "SELECT CASE WHEN id > 1 THEN name END AS n FROM db.t WHERE id < 9"
    request = json.dumps({"ddl": [TABLE], "query": query, "to": "lineage"}).encode()

    _, found = answered(request)

    (column,) = found["result"]["columns"]
    assert column["direct"] == [{"relation": "db.t", "column": "name"}]
    assert {"clause": "condition", "relation": "db.t", "column": "id"} in column["indirect"]
    assert {"clause": "where", "relation": "db.t", "column": "id"} in found["result"]["rows"]
