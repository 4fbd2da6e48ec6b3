"""Shows an answer as text for people: the part to copy, and sentences about its use."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lakeschema.translation.requests.limited_answers import UNNAMED_QUERY
from lakeschema.translation.requests.sql_layout import lay_out_sql


def shown_answer(answer: Mapping[str, Any]) -> tuple[str, Sequence[str]]:
    """The main text of a ``batch.answer``, and what the text needs and gives."""
    match answer:
        case {"error": error}:
            return "\n".join(_error(error)), ()
        case {"result": str(text)}:
            return text, ()
        case {"result": {"sql": str(text), **rest}}:
            return lay_out_sql(text), tuple(_needs_and_gives(rest))
        case {"result": {"statements": list(statements), "defines": list(defines), **rest}}:
            return "\n".join((*defines, *statements)), tuple(_needs_and_gives(rest))
        case _:
            return _printed(answer["result"]), ()


def _error(error: Mapping[str, str]) -> Iterator[str]:
    message = error["message"].removeprefix(f"{UNNAMED_QUERY}: ")
    # The names of other types are for programs.
    yield f"{error['type']}: {message}" if error["type"] == "InternalError" else message
    # The hints for an invalid request are for programs, not for people.
    if "hint" in error and error["type"] != "InvalidRequest":
        yield error["hint"]


def _needs_and_gives(rest: Mapping[Any, Any]) -> Iterator[str]:
    for key, value in rest.get("settings", {}).items():
        yield f"It needs the session's setting {key} = {value}."
    for name in rest.get("functions", ()):
        yield f"It needs the function {name}."
    for udf in rest.get("udfs", ()):
        named = f" as {udf['name']}" if "name" in udf else ""
        artifacts = f", from {', '.join(udf['artifacts'])}" if udf["artifacts"] else ""
        yield f"It needs the class {udf['class']}{named}{artifacts}."
    if "alias" in rest:
        yield f"It gives the alias {rest['alias']}."
    if "schema" in rest:
        yield f"It gives {rest['schema']}."
    for column in rest.get("columns", ()):
        never = "" if column["nullable"] else ", never null"
        yield f"It gives {column['name']}: {column['type']}{never}."


def _printed(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
