"""Only changes that Spark was recorded to refuse are refused for a catalog's relations."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeschema.catalog.ddl_change import Script, apply_ddl
from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.errors import MalformedDdl
from lakeschema.catalog.hive_facts import Storage, relation_in_metastore
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.catalog.spark_refusals import (
    Answers,
    parse_answers,
    print_answers,
    recorded_answers,
    refusal,
)
from tests.lakeschema.catalog.asked_ddl import (
    OTHER_DATABASE,
    PROVIDERS,
    asked,
    asked_kinds,
    created,
)

ITEMS = RelationName.of("shop", "items")
DROP = "ALTER TABLE t DROP COLUMN a"


def catalog(folder: Path, *statements: str) -> DdlFilesCatalog:
    (folder / "tables.sql").write_text(";\n".join(statements))
    return DdlFilesCatalog(folder, Dialect.SPARK)


def refused(tables: DdlFilesCatalog, statement: str, dialect: Dialect = Dialect.SPARK) -> str:
    """Why the statement is refused, or nothing."""
    try:
        apply_ddl(tables, [Script("change.sql", statement)], dialect)
    except MalformedDdl as error:
        return str(error)
    return ""


def is_recorded(provider: str, statement: str) -> bool:
    """Whether Spark refuses one of the kinds that the statement asks for."""
    errors = recorded_answers().errors
    return any(errors.get(kind, {}).get(provider) for kind in asked_kinds(provider, statement))


@pytest.mark.thorough
@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_change_is_refused_that_spark_refused_of_the_provider(
    tmp_path: Path, provider: str
) -> None:
    tables = catalog(tmp_path, f"CREATE DATABASE {OTHER_DATABASE}", created(provider))
    recorded = recorded_answers()
    answers = [row[provider] for row in recorded.errors.values() if provider in row]
    by_spark = f"Spark {recorded.versions[provider]} refuses"

    wrong = [
        statement
        for statement in asked(provider)
        if (by_spark in refused(tables, statement)) != is_recorded(provider, statement)
    ]

    assert wrong == []
    assert "" in answers
    assert any(answers)


@pytest.mark.parametrize(
    ("statement", "kind", "error"),
    [
        ("DROP COLUMN a", "DROP COLUMN", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("RENAME COLUMN a TO z", "RENAME COLUMN", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("REPLACE COLUMNS (a int)", "REPLACE COLUMNS", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        (
            "CHANGE COLUMN a a BIGINT",
            "ALTER COLUMN TYPE",
            "NOT_SUPPORTED_CHANGE_COLUMN",
        ),
    ],
)
def test_a_refusal_names_the_change_the_table_its_provider_and_the_error(
    tmp_path: Path, statement: str, kind: str, error: str
) -> None:
    tables = catalog(tmp_path, "CREATE TABLE t (a int, b string) USING parquet")

    with pytest.raises(MalformedDdl) as raised:
        apply_ddl(tables, [Script("change.sql", f"\nALTER TABLE t {statement}")], Dialect.SPARK)

    assert str(raised.value) == (
        f"change.sql:2: Spark 4.3 refuses {kind} for default.t, "
        f"which is a table of the provider parquet: [{error}]"
    )
    assert "--dialect" in raised.value.hint


def test_a_change_of_hives_is_not_judged_by_spark(tmp_path: Path) -> None:
    tables = catalog(tmp_path, "CREATE TABLE t (a int, b string) USING parquet")

    assert refused(tables, "ALTER TABLE t REPLACE COLUMNS (a int)", Dialect.HIVE) == ""


@pytest.mark.parametrize("form", ["USING hudi", "STORED BY 'a.Handler'"])
def test_tables_of_unknown_providers_can_be_changed(tmp_path: Path, form: str) -> None:
    tables = catalog(tmp_path, f"CREATE TABLE t (a int, b string) {form}")

    assert refused(tables, DROP) == ""


def test_the_history_of_a_folder_is_not_judged(tmp_path: Path) -> None:
    tables = catalog(tmp_path, "CREATE TABLE t (a int, b string) USING parquet", DROP)

    assert tables.problems() == ()
    (relation,) = tables.read_all().values()
    assert [column.name for column in relation.columns] == ["b"]


def test_a_desired_state_is_not_judged() -> None:
    script = Script("all.sql", f"CREATE TABLE t (a int, b string) USING parquet; {DROP}")

    change = apply_ddl(None, [script], Dialect.SPARK)

    (relation,) = change.relations.values()
    assert [column.name for column in relation.columns] == ["b"]


def test_a_metastores_table_of_icebergs_is_judged_as_one() -> None:
    stored = Storage(ITEMS, is_view=False, properties={"table_type": "ICEBERG"}, serde="any.SerDe")
    table = relation_in_metastore(stored, ())

    found = refusal(table, ["DROP COLUMN", "ADD COLUMN DEFAULT"])

    assert found is not None
    assert found.of(ITEMS) == (
        "Spark 4.1 refuses ADD COLUMN DEFAULT for shop.items, "
        "which is a table of the provider iceberg: [UnsupportedOperationException]"
    )


def test_what_was_not_asked_is_not_refused() -> None:
    table = Relation(ITEMS, (), properties={"spark.sql.sources.provider": "parquet"})

    assert refusal(table, ["SET DEFAULT"]) is None


def test_the_record_is_read_as_it_was_written() -> None:
    errors = {"ADD": {"parquet": "", "view": "A.B"}, "DROP a thing": {"parquet": "C", "view": ""}}
    answers = Answers({"parquet": "4.3", "view": "4.2"}, errors)

    assert parse_answers(print_answers(answers)) == answers
    assert parse_answers(print_answers(recorded_answers())) == recorded_answers()
