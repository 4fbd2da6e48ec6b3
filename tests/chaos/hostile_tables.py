"""Tables and views that are too expensive for a reader, or unreadable."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from hive_metastore.ttypes import NoSuchObjectException
from thrift.Thrift import TException

from deploy.metastore import Metastore
from deploy.metastore_ddl import Columns, MetastoreDdl

NAME_PREFIX = "hostile"
_PLAIN: Columns = (("id", "bigint"),)
_MANY_SYMBOLS = 17_000
"""A literal of 190 kB; Derby's notification log takes no message above 32,700 bytes."""
_SOME_SYMBOLS = 600
_DROP_ATTEMPTS = 40
_RETRY_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class HostileRelation:
    """A relation; a view if it has a text. ``altered``: the properties after a second statement."""

    name: str
    columns: Columns = _PLAIN
    text: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    altered: Mapping[str, str] | None = None


class HostileTables:
    """Creates hostile relations, and at the end drops those that the metastore took."""

    def __init__(self, metastore: Metastore, database: str, number: int, random: Random) -> None:
        self._metastore = metastore
        self._database = database
        self._number = number
        self._random = random
        self._created: list[str] = []

    def start(self) -> str:
        makers = self._random.sample(list(_MAKERS), 3)
        said = []
        for kind in makers:
            relation = _MAKERS[kind](f"{NAME_PREFIX}{self._number}_{kind}")
            said.append(f"{kind}: {self._create(relation)}")
        return ", ".join(said)

    def stop(self) -> None:
        for name in self._created:
            for _ in range(_DROP_ATTEMPTS):
                if self._drop(name):
                    break
                time.sleep(_RETRY_SECONDS)

    def _drop(self, name: str) -> bool:
        """False if the metastore did not answer; if it never does, the relation stays, without harm."""
        try:
            with MetastoreDdl(self._metastore.uri) as ddl:
                ddl.drop(self._database, name)
        except NoSuchObjectException:
            return True
        except (TException, OSError):
            return False
        return True

    def _create(self, relation: HostileRelation) -> str:
        try:
            with MetastoreDdl(self._metastore.uri) as ddl:
                self._perform(ddl, relation)
        except (TException, OSError) as error:
            return f"refused ({type(error).__name__})"
        return "created"

    def _perform(self, ddl: MetastoreDdl, relation: HostileRelation) -> None:
        database, name, columns = self._database, relation.name, relation.columns
        if relation.text is not None:
            ddl.create_view(database, name, columns, relation.text, properties=relation.properties)
        else:
            ddl.create_table(database, name, columns, properties=relation.properties)
        self._created.append(name)
        if relation.altered is not None:
            ddl.replace_columns(database, name, columns, properties=relation.altered)


def _long_name(name: str) -> HostileRelation:
    return HostileRelation(name + "x" * 100_000)


def _longest_name(name: str) -> HostileRelation:
    """A name with as many characters as Hive's own tables allow."""
    return HostileRelation(name.ljust(128, "x"))


def _huge_enum(name: str) -> HostileRelation:
    return HostileRelation(name, properties=_enum_literal("a", _MANY_SYMBOLS))


def _enum(name: str) -> HostileRelation:
    """A large enum: readers compare it with its earlier version, symbol by symbol."""
    before, after = (_enum_literal(letter, _SOME_SYMBOLS) for letter in "ab")
    return HostileRelation(name, properties=before, altered=after)


def _enum_literal(letter: str, count: int) -> Mapping[str, str]:
    symbols = [f"{letter}{number:06}" for number in range(count)]
    enum = {"type": "enum", "name": "E", "symbols": symbols}
    record = {"type": "record", "name": "R", "fields": [{"name": "id", "type": enum}]}
    return {"avro.schema.literal": json.dumps(record)}


def _surrogates(name: str) -> HostileRelation:
    schema = {
        "type": "struct",
        "fields": [{"name": "\ud800", "type": "integer", "nullable": True, "metadata": {}}],
    }
    properties = {
        "spark.sql.sources.provider": "parquet",
        "spark.sql.sources.schema": json.dumps(schema),
    }
    return HostileRelation(name, properties=properties)


def _surrogate_comment(name: str) -> HostileRelation:
    record = {"type": "record", "name": "R", "doc": "\ud800", "fields": []}
    return HostileRelation(name, properties={"avro.schema.literal": json.dumps(record)})


def _deep_type(name: str) -> HostileRelation:
    return HostileRelation(name, columns=(("id", "array<" * 150 + "int" + ">" * 150),))


def _wide_table(name: str) -> HostileRelation:
    return HostileRelation(name, columns=[(f"c{number}", "int") for number in range(300)])


def _nested_view(name: str) -> HostileRelation:
    return HostileRelation(name, text=f"SELECT {'(' * 3_000}1{')' * 3_000} AS id")


def _long_view(name: str) -> HostileRelation:
    return HostileRelation(name, text="SELECT " + "+".join(["1"] * 7_000) + " AS id")


def _doubling_view(name: str) -> HostileRelation:
    """A view whose type has twice as many parts at each level."""
    inner = "SELECT 1 AS x"
    for level in range(20):
        inner = f"SELECT named_struct('a', x, 'b', x) AS x FROM ({inner}) t{level}"
    return HostileRelation(name, text=inner)


def _unfinished_view(name: str) -> HostileRelation:
    return HostileRelation(name, text="SELECT '" + "/*;\n" * 3_000)


_MAKERS: Mapping[str, Callable[[str], HostileRelation]] = {
    "long_name": _long_name,
    "longest_name": _longest_name,
    "huge_enum": _huge_enum,
    "enum": _enum,
    "surrogates": _surrogates,
    "surrogate_doc": _surrogate_comment,
    "deep_type": _deep_type,
    "wide": _wide_table,
    "nested_view": _nested_view,
    "long_view": _long_view,
    "doubling_view": _doubling_view,
    "unfinished_view": _unfinished_view,
}
