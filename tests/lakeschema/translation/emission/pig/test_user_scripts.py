import pytest

from lakeschema.translation.requests.batch import answer
from tests.lakeschema.translation.emission.pig.pig_batches import DDL

VIEWS = (
    "CREATE VIEW adults AS SELECT name, initcap(name) AS shown FROM buyers WHERE age > 17",
    "CREATE VIEW ids AS SELECT id FROM orders",
)
LOADER = "org.apache.hive.hcatalog.pig.HCatLoader()"


def replaced(script: str) -> str:
    request = {"id": 1, "ddl": [*DDL, *VIEWS], "script": script, "to": "pig"}
    return str(answer(request)["result"]["script"])


def test_a_load_of_a_view_becomes_the_views_statements_under_the_same_alias() -> None:
    changed = replaced(f"a = LOAD 'shop.adults' USING {LOADER};\nDUMP a;\n")

    assert changed == (
        "DEFINE hive_initcap HiveUDF('initcap');\n"
        "SET orc.schema.evolution.case.sensitive 'false';\n"
        f"buyers = LOAD 'shop.buyers' USING {LOADER};\n"
        "buyers_filtered = FILTER buyers BY age > 17;\n"
        "a = FOREACH buyers_filtered GENERATE name, hive_initcap(name) AS shown;\n"
        "DUMP a;\n"
    )


@pytest.mark.parametrize(
    "script",
    [
        f"b = LOAD 'shop.buyers' USING {LOADER};",
        "b = LOAD 'shop.adults' USING PigStorage(',');",
        "b = LOAD 'shop.adults';",
        f"-- a = LOAD 'shop.adults' USING {LOADER};\n/* a = LOAD 'shop.adults'\n USING {LOADER}; */\n",
        f"b = FILTER a BY x == 'a = LOAD \\'shop.adults\\' USING {LOADER};';",
        f"DEFINE m() RETURNS r {{ $r = LOAD 'shop.adults' USING {LOADER}; }};",
        f"b = LOAD 'shop.other' USING {LOADER};",
    ],
)
def test_what_loads_no_view_is_left_as_it_is(script: str) -> None:
    assert replaced(script) == script


def test_the_scripts_own_names_are_not_taken() -> None:
    changed = replaced(f"buyers = LOAD 'other';\na = load 'shop.adults'\n  using {LOADER} ;")

    assert "buyers_2 = LOAD 'shop.buyers'" in changed


def test_two_views_share_no_alias() -> None:
    changed = replaced(
        f"a = LOAD 'shop.ids' USING {LOADER};\nb = LOAD 'shop.ids' USING {LOADER};\n"
    )

    assert [line.split(" = ")[0] for line in changed.splitlines() if " = " in line] == [
        *("orders", "a", "orders_2", "b"),
    ]


def test_a_view_that_pig_cannot_compute_is_an_error() -> None:
    ddl = [*DDL, "CREATE VIEW w AS SELECT xpath_string(name, 'a') AS x FROM buyers"]
    request = {"id": 1, "ddl": ddl, "script": f"a = LOAD 'shop.w' USING {LOADER};", "to": "pig"}

    assert answer(request)["error"]["type"] == "UnsupportedFunction"


def test_a_script_is_no_relation() -> None:
    request = {"id": 1, "ddl": [], "script": "", "to": "pig", "relation": "a.b"}

    assert answer(request)["error"]["type"] == "InvalidRequest"
