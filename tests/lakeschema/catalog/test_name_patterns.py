import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.name_patterns import NamePattern
from lakeschema.catalog.sessions import Rules


@pytest.mark.parametrize(
    ("pattern", "fitting", "others"),
    [
        ("a%", ["a", "ab"], ["A", "ba"]),
        ("a*", ["a", "ab"], ["ba"]),
        ("%a%b%", ["ab", "xaxbx"], ["ba"]),
        ("a_", ["ab", "a_"], ["a", "abc"]),
        (r"a\_%", ["a_", "a_b"], ["ab"]),
        (r"100\%", ["100%"], ["100", "1000"]),
        (r"a\\b", ["a\\b"], ["ab"]),
        ("a.b|(c", ["a.b|(c"], ["axb", "c"]),
        ("", [""], ["a"]),
        ("\\", ["\\"], [""]),
    ],
)
def test_the_proposals_pattern_is_sqls(pattern: str, fitting: list[str], others: list[str]) -> None:
    found = NamePattern(pattern, Rules.PROPOSAL, folds_case=False)

    assert [name for name in (*fitting, *others) if found.fits(name)] == fitting


@pytest.mark.parametrize(
    ("pattern", "fitting", "others"),
    [
        ("a*", ["a", "APP"], ["ba"]),
        ("a%", ["a%"], ["ab"]),
        ("a|B*", ["a", "A", "bc"], ["ab"]),
        ("a.c", ["a.c"], ["abc"]),
        (" a ", ["a"], ["b"]),
    ],
)
def test_sparks_pattern_is_a_glob(pattern: str, fitting: list[str], others: list[str]) -> None:
    found = NamePattern(pattern, Rules.SPARK, folds_case=False)

    assert [name for name in (*fitting, *others) if found.fits(name)] == fitting
    assert found.prefix == ""


def test_letter_case_does_not_count_in_a_catalog_that_folds_it() -> None:
    pattern = NamePattern("Ab%", Rules.PROPOSAL, folds_case=True)

    assert pattern.prefix == "ab"
    assert pattern.fits("abc")


@given(st.text("ab%*_\\", max_size=8), st.text("ab%_\\", max_size=8))
def test_every_fitting_name_begins_with_the_prefix(text: str, name: str) -> None:
    pattern = NamePattern(text, Rules.PROPOSAL, folds_case=False)

    assert not pattern.fits(name) or name.startswith(pattern.prefix)
