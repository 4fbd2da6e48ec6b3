"""Plugins are real modules here: a folder on the path, with or without an entry point."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeschema.catalog.column_types import BIGINT, STRING
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation, ViewText
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.deriving.hashing import inputs_hash
from lakeschema.translation.functions.udf_plugins import (
    PluginResolver,
    UnusablePlugin,
    installed_references,
    load_plugin,
)
from lakeschema.translation.model.errors import UdfResolverFailed
from lakeschema.translation.model.interface import Options, ResolverFailure, Returns
from lakeschema.translation.requests.batch import answer
from tests.lakeschema.translation.relations import columns

MODULE = "deployment_udfs_of_a_test"
SOURCE = """
from lakeschema.catalog.column_types import parse_type
from lakeschema.translation.model.interface import Returns

asked = []
types = {"com.acme.Up": "string"}

def resolve(class_name, dependencies):
    asked.append((class_name, dependencies))
    return Returns(parse_type(types[class_name])) if class_name in types else None

def other(class_name, dependencies):
    return Returns(parse_type("bigint"))

def fail(class_name, dependencies):
    raise LookupError("registry is down")

def wrong(class_name, dependencies):
    return "string"

class Registry:
    @staticmethod
    def resolve(class_name, dependencies):
        return Returns(parse_type("bigint"))

no_function = 5
"""
UP = Relation(
    RelationName.of("db", "v"),
    (),
    properties={"functions": "up:com.acme.Up", "dependencies": "com.acme:up:1.0"},
    view=ViewText(Dialect.HIVE, "SELECT up('x') AS a", "", ("db",)),
)


@pytest.fixture(autouse=True)
def plugin_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / f"{MODULE}.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop(MODULE, None)


def resolver(*names: str) -> PluginResolver:
    return PluginResolver(tuple(f"{MODULE}:{name}" for name in names))


def test_a_plugin_says_what_a_views_class_returns() -> None:
    found = derive(UP, {}, Options(udf_resolver=resolver("resolve")))

    assert columns(found) == [("a", "string", True)]
    assert sys.modules[MODULE].asked == [("com.acme.Up", ("com.acme:up:1.0",))]


def test_plugins_are_asked_in_their_order_until_one_knows() -> None:
    both = resolver("resolve", "other")

    assert both("com.acme.Up", ()) == Returns(STRING)
    assert both("com.acme.Unheard", ()) == Returns(BIGINT)
    assert resolver("resolve")("com.acme.Unheard", ()) is None


def test_a_plugin_may_be_an_attribute_of_a_class() -> None:
    assert resolver("Registry.resolve")("c.F", ()) == Returns(BIGINT)


def test_an_answer_stays_once_it_is_given_so_that_hash_and_schema_agree() -> None:
    options = Options(udf_resolver=resolver("resolve"))

    before = inputs_hash(UP, {}, options)
    sys.modules[MODULE].types["com.acme.Up"] = "bigint"
    found = derive(UP, {}, options)

    assert columns(found) == [("a", "string", True)]
    assert inputs_hash(UP, {}, options) == before
    assert inputs_hash(UP, {}, Options(udf_resolver=resolver("resolve"))) != before


def test_not_knowing_is_not_remembered() -> None:
    asks = resolver("resolve")

    assert asks("com.acme.New", ()) is None
    sys.modules[MODULE].types["com.acme.New"] = "bigint"
    assert asks("com.acme.New", ()) == Returns(BIGINT)


def test_a_plugin_that_raises_is_an_error_that_names_the_class_and_the_plugin() -> None:
    options = Options(udf_resolver=resolver("fail"))

    with pytest.raises(UdfResolverFailed, match=r"com\.acme\.Up") as raised:
        derive(UP, {}, options)

    assert f"{MODULE}:fail" in str(raised.value)
    assert "LookupError: registry is down" in str(raised.value)
    assert inputs_hash(UP, {}, options) != inputs_hash(UP, {}, Options())


@pytest.mark.parametrize("name", ["wrong", "no_function", "nothing_there"])
def test_a_plugin_that_is_none_fails_what_it_is_asked_for(name: str) -> None:
    answered = resolver(name)("c.F", ())

    assert isinstance(answered, ResolverFailure)
    assert f"{MODULE}:{name}" in answered.reason


@pytest.mark.parametrize(
    "reference",
    ["", "os", "no_such_module_anywhere:f", f"{MODULE}:no_function", "a b:c", "os:path;x", ":f"],
)
def test_what_cannot_be_imported_is_refused_by_name(reference: str) -> None:
    with pytest.raises(UnusablePlugin, match="cannot be used"):
        load_plugin(reference)


def test_a_resolver_travels_by_its_names() -> None:
    sent = resolver("resolve")
    sent("com.acme.Up", ())

    received = pickle.loads(pickle.dumps(sent))

    assert received == sent
    assert received("com.acme.Up", ()) == Returns(STRING)


def test_installed_entry_points_are_found(plugin_module: Path) -> None:
    metadata = plugin_module / "deployment_udfs-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: deployment-udfs\nVersion: 1.0\n"
    )
    (metadata / "entry_points.txt").write_text(
        f"[schema_publisher.udfs]\nb = {MODULE}:other\na = {MODULE}:resolve\n"
    )

    assert installed_references() == (f"{MODULE}:resolve", f"{MODULE}:other")


def test_a_batch_asks_the_deployments_plugins() -> None:
    request = {
        "id": 1,
        "ddl": [
            "CREATE TABLE t (a STRING)",
            "CREATE VIEW v TBLPROPERTIES ('functions' = 'up:com.acme.Up') AS SELECT up(a) b FROM t",
        ],
        "relation": "v",
    }

    without = answer(request)
    found = answer(request, resolver("resolve"))

    assert without["error"]["type"] == "UnsupportedFunction"
    assert found["result"]["fields"][0]["type"] == ["null", "string"]
    failed = answer(request, resolver("fail"))["error"]
    assert failed["type"] == "UdfResolverFailed"
    assert "com.acme.Up" in failed["message"]
