"""Policies in files and requests: how they are read, and the errors about wrong ones."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from lakeschema.translation.policies.reading import InvalidPolicies, read_policies
from lakeschema.translation.policies.rules import (
    DroppedColumn,
    HashMask,
    PartialMask,
    RowFilter,
    UnknownGroup,
)

FILE = """
groups = ["fraud", "germany"]

[tags]
pii = ["shop.customers.EMAIL", "*.*.phone"]

[[rules]]
tag = "pii"
mask = "hash"
salt = "s"
except_groups = ["fraud"]

[[rules]]
tables = ["Shop.Customers"]
columns = ["card"]
mask = "partial"
keep_last = 4

[[rules]]
property = "classification = secret"
columns = ["*"]
drop = true

[[rules]]
tables = ["shop.orders"]
filter = "country = 'DE'"
groups = ["germany"]
"""


def rule(**changes: Any) -> dict[str, Any]:
    return {"rules": [{"columns": ["c"], "mask": "null", **changes}]}


def test_a_file_is_read() -> None:
    policies = read_policies(tomllib.loads(FILE))

    actions = [each.action for each in policies.rules]
    assert actions == [
        *(HashMask("s"), PartialMask(4), DroppedColumn(), RowFilter("country = 'DE'")),
    ]
    assert policies.tags["pii"] == ("shop.customers.email", "*.*.phone")
    assert policies.rules[1].tables == ("shop.customers",)
    assert policies.rules[2].table_property == ("classification", "secret")


@pytest.mark.parametrize(
    ("group", "expected"), [(None, [0, 1, 2]), ("fraud", [1, 2]), ("germany", [0, 1, 2, 3])]
)
def test_a_group_has_the_rules_that_are_for_it(group: str | None, expected: list[int]) -> None:
    policies = read_policies(tomllib.loads(FILE))

    kept = policies.for_group(group).rules

    assert [policies.rules.index(each) for each in kept] == expected


def test_a_misspelt_group_is_refused() -> None:
    with pytest.raises(UnknownGroup, match=r"unknown group 'frad'; .* are fraud, germany"):
        read_policies(tomllib.loads(FILE)).for_group("frad")


def test_a_salt_is_not_shown() -> None:
    assert "secret" not in repr(read_policies(rule(mask="hash", salt="secret")))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "policies: expected a table"),
        ({"rule": []}, "policies: unknown key 'rule'; the keys are groups, rules, tags"),
        ({"groups": "fraud"}, "groups: expected a list of texts, got 'fraud'"),
        ({"tags": []}, "tags: expected a table"),
        ({"tags": {"pii": ["email"]}}, "tags.pii: expected database.table.column, got 'email'"),
        ({"rules": {}}, "rules: expected a list of at most 10,000 rules"),
        ({"rules": [{}] * 10_001}, "rules: expected a list of at most 10,000 rules"),
        ({"rules": [1]}, r"rules\[0\]: expected a table"),
        (rule(masks=1), r"rules\[0\]: unknown key 'masks'"),
        (rule(drop=True), "expected exactly one of mask, drop, filter"),
        ({"rules": [{"mask": "null"}]}, "expected columns or tag, to select the masked columns"),
        (
            {"rules": [{"filter": "a = 1"}]},
            "expected tables or property, to select the filtered rows",
        ),
        ({"rules": [{"filter": " ", "tables": ["a.b"]}]}, "filter: expected a SQL condition"),
        (
            {"rules": [{"filter": "a = 1", "tables": ["a.b"], "columns": ["c"]}]},
            "a filter applies to rows: expected no columns and no tag",
        ),
        ({"rules": [{"columns": ["c"], "drop": 1}]}, "drop: expected true, got 1"),
        (rule(mask="hsh"), "mask: expected one of null, hash, partial, constant, none, got 'hsh'"),
        (rule(mask=["null"]), "mask: expected one of"),
        (rule(salt="s"), r"rules\[0\].salt: has no meaning with this action"),
        (rule(mask="hash", salt=1), "salt: expected a text, got 1"),
        (rule(mask="partial"), "expected exactly one of keep_first, keep_last"),
        (rule(mask="partial", keep_last=0), "keep_last: expected a number from 1 to 1000"),
        (rule(mask="partial", keep_last=True), "keep_last: expected a number"),
        (rule(mask="constant"), "value: expected a text, a number, true, false or a date"),
        (rule(mask="constant", value="\ud800"), "an unpaired surrogate"),
        (rule(columns=[]), "columns: expected a list that is not empty"),
        (rule(tables=["customers"]), "tables: expected database.table, got 'customers'"),
        (rule(tables=[]), "tables: expected a list that is not empty"),
        (rule(columns=[""]), "columns: expected texts that are not empty"),
        (rule(tag=""), "tag: expected a tag"),
        (rule(property="=x"), "property: expected 'name' or 'name=value'"),
        (rule(groups=["x"]), r"groups: 'x' is not among the policies' groups"),
        (
            {"groups": ["x"], **rule(groups=["x"], except_groups=["x"])},
            "expected groups or except_groups, not both",
        ),
    ],
)
def test_wrong_policies_are_told_what_is_wrong(value: object, message: str) -> None:
    with pytest.raises(InvalidPolicies, match=message):
        read_policies(value)
