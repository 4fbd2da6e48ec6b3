import pytest

from lakeschema.translation.requests.batch import answer
from tests.lakeschema.translation.emission.pig.pig_batches import DDL, refusal, script


def generated(expression: str) -> str:
    *_, last = script(f"SELECT {expression} AS x FROM orders")
    return last.removeprefix("v = FOREACH orders GENERATE ").removesuffix(" AS x;")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("amount + 1", "(amount + 1)"),
        ("amount / 2", "((double)amount / 2.0)"),
        ("amount % 2", "(amount % 2)"),
        ("amount % 0", "(int)null"),
        ("amount DIV 0", "(long)null"),
        ("amount > 2", "((amount > 2) ? true : false)"),
        ("'abc' LIKE 'a%'", "((hive_like('abc', 'a%') == true) ? true : false)"),
        ("price * price", "(price * price)"),
        ("price + 1", "(price + (bigdecimal)'1')"),
        ("CAST('none' AS DATE)", "(datetime)null"),
        ("price - id", "(price - (bigdecimal)id)"),
        ("abs(CAST(id AS FLOAT))", "ABS((double)((float)id))"),
        ("buyer IS NULL", "((buyer is null) ? true : false)"),
        ("CAST(amount AS BIGINT)", "(long)amount"),
        ("CAST(paid AS STRING)", "UPPER((chararray)paid)"),
        ("CAST(day AS STRING)", "ToString(day, 'yyyy-MM-dd')"),
        ("concat(buyer, '-', amount)", "(chararray)CONCAT(buyer, '-', (chararray)amount)"),
        ("amount / id", "(((double)id + 0.0) == 0.0 ? (double)null : (double)amount / (double)id)"),
        ("pmod(amount, id)", "(id == 0 ? (int)null : (((amount % id) + id) % id))"),
        ("buyer = 'it\\'s $x'", "((buyer == (chararray)CONCAT('it\\'s $', 'x')) ? true : false)"),
        ("place.street", "place.street"),
        ("notes['a']", "(int)notes#'a'"),
        ("year(at)", "GetYear(at)"),
        ("size(tags)", "(tags is null ? -1 : (int)SIZE(tags))"),
        ("id BETWEEN 1 AND amount", "(((id >= 1) AND (id <= amount)) ? true : false)"),
        ("id IN (1, NULL)", "(((id == 1) OR (id == (int)null)) ? true : false)"),
        ("id <=> amount", "(((id is null AND amount is null) OR (id is not null AND amount is not null AND (id == amount))) ? true : false)"),
        ("NOT paid", "((NOT (paid == true)) ? true : false)"),
        ("paid OR id > 1", "(((paid == true) OR (id > 1)) ? true : false)"),
        ("(id > 1) IS TRUE", "((id is not null AND (id > 1)) ? true : false)"),
        ("(id > 1) IS FALSE", "((id is not null AND (NOT (id > 1))) ? true : false)"),
        ("paid IS NOT TRUE", "((NOT (paid is not null AND (paid == true))) ? true : false)"),
        ("paid IS NOT FALSE", "((NOT (paid is not null AND (NOT (paid == true)))) ? true : false)"),
        ("id IS DISTINCT FROM amount", "((NOT ((id is null AND amount is null) OR (id is not null AND amount is not null AND (id == amount)))) ? true : false)"),
        ("isnotnull(id)", "((id is not null) ? true : false)"),
        ("paid < true", "(((paid ? 1 : 0) < (true ? 1 : 0)) ? true : false)"),
        ("CASE WHEN id > 1 THEN 'a' WHEN id > 0 THEN 'b' ELSE 'c' END", "((id is not null AND (id > 1)) ? 'a' : ((id is not null AND (id > 0)) ? 'b' : 'c'))"),
        ("CASE id WHEN 1 THEN 'a' END", "((id is not null AND (id == 1)) ? 'a' : (chararray)null)"),
        ("coalesce(buyer, 'x')", "(buyer is not null ? buyer : 'x')"),
        ("nullif(id, 1)", "((((id == 1) ? 1 : 0) is not null AND (id == 1)) ? (int)null : id)"),
        ("if(paid, weight, 2)", "((paid is not null AND (paid == true)) ? weight : 2.0)"),
        ("-weight", "(-weight)"),
        ("id div 2", "(2L == 0 ? (long)null : (long)id / 2L)"),
        ("id div amount", "((long)amount == 0 ? (long)null : (long)id / (long)amount)"),
        ("price > 1", "((price > (bigdecimal)'1') ? true : false)"),
        ("price = price", "((price == price) ? true : false)"),
        ("day > DATE '2020-01-01'", "((day > ToDate('2020-01-01', 'yyyy-MM-dd')) ? true : false)"),
        ("CAST(id AS BOOLEAN)", "(id != 0 ? true : false)"),
        ("CAST(paid AS INT)", "(paid ? 1 : 0)"),
        ("CAST(weight AS INT)", "(int)weight"),
        ("CAST(weight AS STRING)", "(chararray)weight"),
        ("instr(buyer, 'a')", "(buyer is null OR 'a' is null ? (int)null : (buyer == '' ? 0 : INDEXOF(buyer, 'a', 0) + 1))"),
        ("concat(buyer, id)", "(chararray)CONCAT(buyer, (chararray)id)"),
        ("buyer NOT LIKE 'a%'", "((NOT (buyer MATCHES '(?s)a.*')) ? true : false)"),
        ("date_sub(day, 1)", "AddDuration(day, CONCAT('P', (chararray)(-1), 'D'))"),
        ("datediff(day, day)", "(int)DaysBetween(day, day)"),
        ("to_date(at)", "ToDate(ToString(at, 'yyyy-MM-dd'), 'yyyy-MM-dd')"),
        ("place.number", "place.number"),
        ("tags[0]", "(tags is null OR SIZE(tags) < 1 ? (chararray)null : (chararray)BagToTuple(tags).$0)"),
        ("DATE '2020-01-01'", "ToDate('2020-01-01', 'yyyy-MM-dd')"),
        ("CAST(NULL AS INT)", "(int)null"),
        ("1.5", "(bigdecimal)'1.5'"),
        ("1L", "1L"),
    ],
)  # fmt: skip
def test_an_expression_is_written_as_pig_computes_the_same(expression: str, text: str) -> None:
    assert generated(expression) == text


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("weight % 2", "% of double for Pig"),
        ("CAST(id AS DECIMAL(10,2))", "the conversion of int to decimal(10,2) for Pig"),
        ("CAST(buyer AS DATE)", "the conversion of string to date for Pig"),
        ("CAST(buyer AS CHAR(3))", "the conversion of string to char(3) for Pig"),
        ("X'00'", "the literal '00' has type binary: Pig has no such literal"),
        ("TIMESTAMP '2020-01-01 00:00:00'", "column x for Pig has type timestamp: Pig's datetime only has milliseconds, so values may be cut"),
        ("buyer LIKE 'a' ESCAPE '/'", "LIKE with ESCAPE for Pig"),
        ("round(price, 1)", "function round(decimal(10,2), int) has no known equivalent in Pig"),
        ("rand()", "function rand() has no known equivalent in Pig"),
        ("tags[id]", "a computed index or key for Pig"),
        ("tags = tags", "comparing array<string> with array<string> in Pig"),
        ("day + INTERVAL '1' DAY", "column x for Pig has type timestamp: Pig's datetime only has milliseconds, so values may be cut"),
        ("map_keys(notes)", "function map_keys(map<string,int>) has no known equivalent in Pig"),
        ("hash(id)", "function hash(int) has no known equivalent in Pig"),
    ],
)  # fmt: skip
def test_an_expression_that_pig_computes_otherwise_is_refused(expression: str, reason: str) -> None:
    assert reason in refusal(f"SELECT {expression} AS x FROM orders")


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


_LONGS = "CREATE TABLE longs (s STRING, big BIGINT, prices MAP<STRING, DECIMAL(10,2)>, huge DECIMAL(38,18))"


@pytest.mark.parametrize(
    ("query", "end"),
    [
        # Hive's substr makes null of a long that is no integer.
        (
            "SELECT substr(s, big) AS x FROM longs",
            "hive_substr(s, (big >= -2147483648L AND big <= 2147483647L ? (int)big : (int)null)) AS x;",
        ),
        ("SELECT floor(big) AS x FROM longs", "hive_floor(big) AS x;"),
        ("SELECT ceiling(big) AS x FROM longs", "hive_ceil(big) AS x;"),
        (
            "SELECT sum(huge) AS x FROM longs",
            (
                "((bigdecimal)SUM(longs.huge) >= (bigdecimal)'100000000000000000000'"
                " OR (bigdecimal)SUM(longs.huge) <= (bigdecimal)'-100000000000000000000'"
                " ? (bigdecimal)null : (bigdecimal)SUM(longs.huge)) AS sum;"
            ),
        ),
    ],
)
def test_numbers_end_where_hives_do(query: str, end: str) -> None:
    assert any(step.endswith(end) for step in script(query, views=[_LONGS]))


def test_what_is_below_zero_is_not_told_to_an_aggregate_beforehand() -> None:
    steps = script("SELECT size(collect_set(-2)) AS n FROM longs", views=[_LONGS])

    assert steps[0] == "DEFINE hive_collect_set HiveUDAF('collect_set');"


def test_a_joined_pattern_is_told_to_be_a_text() -> None:
    steps = script("SELECT big FROM longs WHERE 'b' LIKE concat(s, '%')", views=[_LONGS])

    assert "FILTER longs BY hive_like('b', (chararray)CONCAT(s, '%')) == true;" in steps[2]


def test_a_joined_text_is_told_to_be_one_before_it_is_converted() -> None:
    steps = script("SELECT CAST(concat(s, '1') AS DOUBLE) AS d FROM longs", views=[_LONGS])

    assert steps[-1].endswith("hive_double((chararray)CONCAT(s, '1')) AS d;")


def test_decimals_in_maps_are_refused_as_pig_looks_up_none() -> None:
    message = refusal("SELECT prices['k'] AS x FROM longs", views=[_LONGS])

    assert "a value of type decimal(10,2) of a map" in message


def test_a_group_of_no_rows_of_a_view_is_made_by_a_row_of_its_table() -> None:
    below = "CREATE VIEW below AS SELECT id FROM orders WHERE id > 5"

    steps = script("SELECT count(*) AS n FROM below", views=[below])

    assert "orders_one = LIMIT orders 1;" in steps
