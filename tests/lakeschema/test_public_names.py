"""The public names on which other people may rely: names, parameters and behaviour."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import lakeschema
from lakeschema.translation.model.errors import (
    DefinedByItself,
    UnknownRelation,
    UnsupportedFunction,
)

TABLE = "CREATE TABLE d.t (id bigint COMMENT 'the key', name string)"
VIEW = "CREATE VIEW d.v AS SELECT id, upper(name) AS name FROM d.t"


def test_the_public_names_are_these() -> None:
    assert sorted(lakeschema.__all__) == ["derive", "register_views", "udfs"]
    assert set(lakeschema.__all__) <= set(dir(lakeschema))
    assert sorted(lakeschema.udfs.__all__) == [
        "Returns",
        "ReturnsArgument",
        "ReturnsRows",
        "UdfResolver",
        "UdfReturn",
        "parse_type",
    ]
    assert [*inspect.signature(lakeschema.derive).parameters] == [
        "relation",
        "ddl",
        "dialect",
        "udfs",
    ]
    assert [*inspect.signature(lakeschema.register_views).parameters] == [
        "session",
        "catalog",
        "udfs",
        "java_methods",
        "hive_functions",
    ]
    for name in ("derive", "register_views"):
        assert inspect.getdoc(getattr(lakeschema, name))


def test_any_other_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'lakeschema' has no attribute 'nothing'"):
        lakeschema.nothing  # noqa: B018 (asking for it is the act)


def test_a_views_schema_comes_from_ddl_alone() -> None:
    schema = lakeschema.derive("d.v", [TABLE, VIEW])

    assert [field["name"] for field in schema["fields"]] == ["id", "name"]
    assert schema["fields"][0]["type"] == ["null", "long"]


def test_a_functions_class_returns_what_the_caller_says() -> None:
    view = "CREATE VIEW v TBLPROPERTIES ('functions' = 'up:c.Up') AS SELECT up(1) AS a"
    returns = lakeschema.udfs.Returns(lakeschema.udfs.parse_type("double"))

    schema = lakeschema.derive("v", [view], udfs={"c.Up": returns})

    assert schema["fields"][0]["type"] == ["null", "double"]


@pytest.mark.parametrize(
    ("ddl", "error", "words"),
    [
        (VIEW, UnknownRelation, "d.v: relation d.t does not exist"),
        (TABLE, UnknownRelation, "relation d.v does not exist"),
        ("CREATE VIEW d.v AS SELECT * FROM d.v", DefinedByItself, "d.v → d.v"),
        ("CREATE VIEW d.v AS SELECT frob(1) AS a", UnsupportedFunction, "frob"),
        (
            "CREATE VIEW d.u AS SELECT frob(1) AS a; CREATE VIEW d.v AS SELECT * FROM d.u",
            UnsupportedFunction,
            "d.u: ",
        ),
    ],
)
def test_an_error_names_the_relation_that_is_the_cause(
    ddl: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        lakeschema.derive("d.v", [ddl])


def test_the_package_alone_imports_next_to_nothing() -> None:
    """Executors and sessions of other people pay for what they use."""
    code = "import sys; before = set(sys.modules); import lakeschema; print(*set(sys.modules) - before)"

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()

    assert [name for name in loaded if name.startswith("lakeschema")] == ["lakeschema"]
    assert not {"sqlglot", "pyspark", "pyarrow"} & set(loaded)
