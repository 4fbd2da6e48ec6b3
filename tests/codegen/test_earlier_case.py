"""Packages of Spark's tables once had lower-case names; data from them is still read."""

from __future__ import annotations

from pathlib import Path

from codegen.modules import render_modules
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from tests.codegen.generated import imported_modules
from tests.lakeschema.translation.relations import derived

DDL = """CREATE TABLE shop.t (UserId INT, Nested STRUCT<InnerCase: INT>) USING parquet;
CREATE VIEW shop.v AS SELECT * FROM shop.t"""


def test_what_a_package_wrote_in_lower_case_is_read_with_capitals(tmp_path: Path) -> None:
    for name in ("shop.t", "shop.v"):
        relation = RelationName.parse(name)
        before, now = (
            render_modules(derived(ddl, name, Dialect.SPARK).interface.schema, package, relation)
            for ddl, package in ((DDL.lower(), "before"), (DDL, "now"))
        )
        path = tmp_path / f"{name}.avro"
        with imported_modules(before, "before") as package:
            made = package.RECORD.from_dict({"userid": 5, "nested": {"innercase": 7}})
            package.write_file(path, [made])
            encoded = made.to_json()

        with imported_modules(now, "now") as package:
            expected = package.RECORD.from_dict({"UserId": 5, "Nested": {"InnerCase": 7}})

            assert list(package.read_file(path)) == [expected]
            assert package.RECORD.from_json(encoded) == expected
