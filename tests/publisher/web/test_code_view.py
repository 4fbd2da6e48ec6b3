"""The styles of shown code."""

from __future__ import annotations

import pytest

from publisher.web.code_view import code_view


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        ("SELECT c.id, t.key FROM orders c", ["SELECT", "FROM"]),
        ("SELECT user.name\nFROM user.g\nJOIN c", ["SELECT", "FROM", "JOIN"]),
        ("SELECT '.', \"a\" FROM t", ["SELECT", "FROM"]),
    ],
)
def test_names_of_tables_and_columns_are_not_keywords(text: str, keywords: list[str]) -> None:
    lines = code_view(text, "sql").lines

    assert "\n".join("".join(span.text for span in line) for line in lines) == text
    assert [span.text for line in lines for span in line if span.style == "k"] == keywords


def test_keywords_of_other_languages_stay() -> None:
    [line] = code_view("if a.pass_ == None: pass", "python").lines

    assert [span.text for span in line if span.style == "k"] == ["if", "None", "pass"]
