import pytest

from lakeschema.translation.batch import answer
from tests.lakeschema.translation.emission.pig.pig_batches import DDL, script


def generated(expression: str) -> str:
    *_, last = script(f"SELECT {expression} AS x FROM orders")
    return last.removeprefix("v = FOREACH orders GENERATE ").removesuffix(" AS x;")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("amount + 1", "(amount + 1)"),
        ("amount / 2", "((double)amount / 2.0)"),
        ("amount % 2", "(amount % 2)"),
        ("amount > 2", "((amount > 2) ? true : false)"),
        ("price * price", "(price * price)"),
        ("buyer IS NULL", "((buyer is null) ? true : false)"),
        ("CAST(amount AS BIGINT)", "(long)amount"),
        ("CAST(paid AS STRING)", "UPPER((chararray)paid)"),
        ("CAST(day AS STRING)", "ToString(day, 'yyyy-MM-dd')"),
        ("concat(buyer, '-', amount)", "CONCAT(buyer, '-', (chararray)amount)"),
        ("amount / id", "(((double)id + 0.0) == 0.0 ? null : (double)amount / (double)id)"),
        ("pmod(amount, id)", "(id == 0 ? null : (((amount % id) + id) % id))"),
        ("buyer = 'it\\'s $x'", "((buyer == CONCAT('it\\'s $', 'x')) ? true : false)"),
        ("place.street", "place.street"),
        ("notes['a']", "(int)notes#'a'"),
        ("year(at)", "GetYear(at)"),
        ("size(tags)", "(tags is null ? -1 : (int)SIZE(tags))"),
    ],
)
def test_an_expression_is_written_as_pig_computes_the_same(expression: str, text: str) -> None:
    assert generated(expression) == text


def test_a_choice_does_not_depend_on_an_unknown_condition() -> None:
    assert generated("IF(amount > 2, 'many', 'few')") == (
        "((amount is not null AND (amount > 2)) ? 'many' : 'few')"
    )


def test_hives_functions_are_declared_once_before_the_statements() -> None:
    statements = script("SELECT initcap(buyer) AS a, initcap('b') AS b FROM orders")

    assert statements[0] == "DEFINE hive_initcap HiveUDF('initcap');"
    assert statements[-1].endswith("GENERATE hive_initcap(buyer) AS a, hive_initcap('b') AS b;")


def test_a_declared_function_is_hives_class() -> None:
    view = (
        "CREATE VIEW named TBLPROPERTIES ('functions' = 'up:com.acme.Up', 'dependencies' ="
        " 'ivy://com.acme:up:1.0') AS SELECT shop_named_up(buyer) AS u FROM orders"
    )
    ddl = [*DDL, view.replace("shop_named_up", "up")]
    request = {"id": 1, "ddl": ddl, "relation": "shop.named", "to": "pig"}

    result = answer({**request, "udfs": {"com.acme.Up": {"returns": "string"}}})["result"]

    assert result["defines"] == ["DEFINE up HiveUDF('com.acme.Up');"]
    assert result["udfs"] == [{"class": "com.acme.Up", "artifacts": ["ivy://com.acme:up:1.0"]}]
    assert result["statements"][-1] == "named = FOREACH orders GENERATE up(buyer) AS u;"


@pytest.mark.parametrize(
    ("pattern", "regular"),
    [("%o%", "(?s).*o.*"), ("a_b", "(?s)a.b"), ("1.5\\%", "(?s)1\\\\.5\\\\%")],
)
def test_a_pattern_of_like_is_one_of_the_whole_text(pattern: str, regular: str) -> None:
    written = pattern.replace("\\", "\\\\")

    statements = script(f"SELECT id FROM orders WHERE buyer LIKE '{written}'")

    assert statements[1] == f"orders_filtered = FILTER orders BY buyer MATCHES '{regular}';"
