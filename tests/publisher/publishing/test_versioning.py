from __future__ import annotations

import pytest

from lakeschema.avro.compatibility import Change, Level
from lakeschema.avro.model import INT, LONG, EnumSchema, Field, Record
from publisher.publishing.versioning import (
    REGENERATED,
    SAME_SCHEMA,
    Published,
    next_version,
    parse_number,
)

BARE = Record("R", "n", (Field("a", INT),))
DOCUMENTED = Record("R", "n", (Field("a", INT, doc="a"),))
GROWN = Record("R", "n", (Field("a", INT), Field("b", INT, 0)))
BROKEN = Record("R", "n", (Field("a", LONG),))


def test_the_first_version_is_one() -> None:
    number, change = next_version([], BARE, mode="semantic")

    assert number == "1.0.0"
    assert change.reasons == ("first version",)


def test_the_first_sequential_version_is_the_first_patch() -> None:
    assert next_version([], BARE, mode="sequential")[0] == "0.0.1"


@pytest.mark.parametrize(
    ("schema", "number"), [(DOCUMENTED, "1.4.3"), (GROWN, "1.5.0"), (BROKEN, "2.0.0")]
)
def test_the_number_rises_as_far_as_the_change(schema: Record, number: str) -> None:
    history = [Published("1.4.2", BARE)]

    assert next_version(history, schema, mode="semantic")[0] == number


def test_sequential_numbers_rise_by_one_whatever_changed() -> None:
    number, change = next_version([Published("0.0.9", BARE)], BROKEN, mode="sequential")

    assert number == "0.0.10"
    assert change.level is Level.MAJOR


def test_versions_are_ordered_as_numbers() -> None:
    history = [Published("1.10.0", GROWN), Published("1.9.0", BARE)]

    assert next_version(history, DOCUMENTED, mode="semantic")[0] == "2.0.0"


def test_only_the_current_major_is_compared() -> None:
    history = [Published("1.0.0", BROKEN), Published("2.0.0", BARE)]

    number, change = next_version(history, GROWN, mode="semantic")

    assert number == "2.1.0"
    assert change.level is Level.MINOR


def test_a_change_that_breaks_an_older_version_of_the_major_is_major() -> None:
    """Readers of 1.0.0 have no symbol for an unknown one; those of 1.0.1 have."""
    first = Record("R", "n", (Field("e", EnumSchema("E", "n", ("A",))),))
    with_default = Record("R", "n", (Field("e", EnumSchema("E", "n", ("A",), default="A")),))
    grown = Record("R", "n", (Field("e", EnumSchema("E", "n", ("A", "B"), default="A")),))
    newest = Published("1.0.1", with_default)

    assert next_version([newest], grown, mode="semantic")[0] == "1.1.0"
    assert next_version([Published("1.0.0", first), newest], grown, mode="semantic")[0] == "2.0.0"


def test_an_unusable_number_is_skipped_within_its_level() -> None:
    history = [Published("1.0.0", BARE)]

    assert next_version(history, GROWN, mode="semantic", unusable=["1.1.0"])[0] == "1.2.0"
    assert next_version(history, BROKEN, mode="semantic", unusable=["2.0.0"])[0] == "3.0.0"
    assert next_version([], BARE, mode="semantic", unusable=["1.0.0"])[0] == "2.0.0"


@pytest.mark.parametrize(
    "taken",
    ["1.1.0.post1", "1.1.0rc2", "1.1.0+local.7", "1.1", "1.1.0.0", "2!1.1.0", "1.1.0.dev0"],
)
def test_a_number_is_not_free_if_a_version_of_any_form_has_its_release(taken: str) -> None:
    history = [Published("1.0.0", BARE)]

    assert next_version(history, GROWN, mode="semantic", unusable=[taken])[0] == "1.2.0"


@pytest.mark.parametrize("other", ["1.0.1.post1", "1.1.0.1", "3", "0.9rc1"])
def test_a_version_of_another_release_takes_no_number(other: str) -> None:
    history = [Published("1.0.0", BARE)]

    assert next_version(history, GROWN, mode="semantic", unusable=[other])[0] == "1.1.0"


def test_other_generated_names_of_the_same_schema_are_major() -> None:
    history = [Published("1.0.0", BARE, surface_hash="one")]

    number, change = next_version(
        history,
        DOCUMENTED,
        mode="semantic",
        surface_of=lambda schema: "two" if schema == BARE else "one",
        renamed=lambda version: [f"renamed since {version.number}"],
    )

    assert number == "2.0.0"
    assert change.level is Level.MAJOR
    assert change.reasons[:2] == (REGENERATED, "renamed since 1.0.0")


def test_the_same_naming_rules_are_not_a_change() -> None:
    history = [Published("1.0.0", BARE, surface_hash="one")]

    number, _ = next_version(
        history,
        GROWN,
        mode="semantic",
        surface_of=lambda schema: "one" if schema == BARE else "of a field more",
    )

    assert number == "1.1.0"


def test_a_version_whose_names_are_not_known_is_compared_by_schema_alone() -> None:
    history = [Published("1.0.0", BARE)]

    number, _ = next_version(history, GROWN, mode="semantic", surface_of=lambda _: "one")

    assert number == "1.1.0"


def test_a_version_of_the_same_schema_says_that_its_origin_changed() -> None:
    number, change = next_version([Published("1.0.0", BARE)], BARE, mode="semantic")

    assert number == "1.0.1"
    assert change == Change(Level.PATCH, (SAME_SCHEMA,))


def test_going_back_to_an_older_schema_is_a_new_version() -> None:
    history = [Published("1.0.0", BARE), Published("1.0.1", DOCUMENTED)]

    assert next_version(history, BARE, mode="semantic")[0] == "1.0.2"


@pytest.mark.parametrize(
    "text", ["1", "1.0", "1.0.0.0", "1.0.x", "", "1.0.-1", "१.0.0", "1.0.1" + "0" * 9]
)
def test_text_that_is_not_a_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a version"):
        parse_number(text)
