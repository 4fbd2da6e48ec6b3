"""Any request is answered in bounded time, with a result or one of our errors."""

from __future__ import annotations

import json

import pytest

from lakeschema.translation.requests.batch import answer

TABLE = "CREATE TABLE t (a INT, s STRING)"
CYCLE = ["CREATE VIEW v AS SELECT * FROM w", "CREATE VIEW w AS SELECT * FROM v"]


def chain(depth: int) -> list[str]:
    views = [
        f"CREATE VIEW v{i} AS SELECT a, s FROM {f'v{i - 1}' if i else 't'}" for i in range(depth)
    ]
    return [TABLE, *views, f"CREATE VIEW v AS SELECT a, s FROM v{depth - 1}"]


@pytest.mark.parametrize("target", ["avro", "spark", "plan"])
@pytest.mark.parametrize(
    ("ddl", "error"),
    [
        ([TABLE, "CREATE VIEW v AS SELECT 'a FROM t"], "MalformedSql"),
        ([TABLE, "CREATE VIEW v AS SELECT `a FROM t"], "MalformedSql"),
        ([TABLE, "CREATE VIEW v AS SELECT a /* FROM t"], "MalformedSql"),
        ([TABLE, "CREATE VIEW v AS SELECT a FROM t; DROP TABLE t"], "UnknownRelation"),
        ([TABLE, "CREATE VIEW v AS SELECT '\udcff\udcfe' AS x FROM t"], None),
        ([TABLE, "CREATE VIEW v AS SELECT '\x00' AS x FROM t"], None),
        ([TABLE, "CREATE VIEW v AS SELECT a AS `\x00\udcff` FROM t"], None),
        ([TABLE, "CREATE VIEW v AS SELECT '" + "x" * 10_000_000 + "' AS x FROM t"], "TooLarge"),
        ([TABLE, "CREATE VIEW v AS SELECT " + "a + " * 3_000_000 + "a AS x FROM t"], "TooLarge"),
        (
            [
                TABLE,
                "CREATE VIEW v AS SELECT " + "(" * 10_000 + "a" + ")" * 10_000 + " AS x FROM t",
            ],
            "TooLarge",
        ),
        ([TABLE, "CREATE VIEW v AS " + " UNION ALL ".join(["SELECT a FROM t"] * 1_000)], None),
        (CYCLE, "DefinedByItself"),
        (chain(300), None),
        pytest.param(chain(3_000), None, marks=pytest.mark.slow),
        ([TABLE, "CREATE VIEW v AS SELECT a FROM `t`.`a`.`b`.`c`.`d`"], "UnknownRelation"),
        ([TABLE, "CREATE VIEW v AS " + "SELECT" * 5_000], "MalformedSql"),
        (
            [
                TABLE,
                "CREATE VIEW v AS SELECT a FROM t WHERE "
                + "EXISTS (SELECT 1 FROM t WHERE " * 300
                + "true"
                + ")" * 300,
            ],
            "TooLarge",
        ),
    ],
    ids=range(17),
)
def test_a_hostile_request_is_answered(ddl: list[str], error: str | None, target: str) -> None:
    response = answer({"id": 7, "ddl": ddl, "relation": "default.v", "to": target})

    assert response["id"] == 7
    json.dumps(response)
    assert response.get("error", {}).get("type") == error
