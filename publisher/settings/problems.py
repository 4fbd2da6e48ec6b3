"""Turns pydantic's errors into lines of plain English that name the setting and where it was read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from lakeschema.translation.requests.option_values import InvalidOption
from publisher.settings.sections import ENVIRONMENT_PREFIX, Settings

Location = tuple[int | str, ...]

_KIND_POSITION = {"catalog": 2, "events": 2, "index": 1}
"""The part of pydantic's location that names the section's kind."""

_EXPECTED = re.compile(r"^\w+ should (?:be|have) (.*?)(?:, unable to .*)?$")
_NO_SECRETS = re.compile(r"(literal|bool|int|float|greater|less)")
"""Errors that may show the input: neither a number nor one of a few words is a secret."""


def problem(detail: ErrorDetails, file: str, environment: Mapping[str, str]) -> str:
    location = detail["loc"]
    path = _path(location)
    if detail["type"].startswith("union_tag"):
        path = [*path, "kind"]
    variable = ENVIRONMENT_PREFIX + "__".join(path).upper()
    origin = "environment" if any(v.upper() == variable for v in environment) else file
    return f"{'.'.join(path)} ({origin}){_what_is_wrong(detail, location)}"


def _path(location: Location) -> list[str]:
    """The path as the file has it: without the kind, and without a number for the first catalog."""
    section, *rest = location
    kind = _KIND_POSITION.get(str(section))
    if kind is not None:
        del rest[kind - 1 : kind]
    if section == "catalog" and rest[:1] == [0]:
        # Usually it is the only one.
        rest = rest[1:]
    return [str(section), *map(str, rest)]


def _what_is_wrong(detail: ErrorDetails, location: Location) -> str:
    context = detail.get("ctx", {})
    match detail["type"], context:
        case "missing", _:
            return " is missing"
        case "extra_forbidden", _:
            return _unknown(str(location[-1]), location[:-1])
        case "union_tag_invalid", {"tag": tag, "expected_tags": tags}:
            return f" is {tag!r}: expected one of {_listed(tags)}"
        case "union_tag_not_found", _:
            return f" is missing: expected one of {', '.join(_kinds(_type_at(location)))}"
        case "literal_error", {"expected": expected}:
            return f" is {detail['input']!r}: expected one of {_listed(expected)}"
        case "value_error", {"error": InvalidOption() as error}:
            return f" is {error.value!r:.200}: expected {error.expected}"
        case "value_error", {"error": error}:
            return f": {error}"
        case kind, _:
            return _mistyped(kind, detail)


def _mistyped(kind: str, detail: ErrorDetails) -> str:
    if kind in {"model_type", "model_attributes_type", "dict_type", "mapping_type"}:
        return ": expected a table of keys and values"
    shown = f" is {detail['input']!r:.100}" if _NO_SECRETS.match(kind) else ""
    return f"{shown}: {in_plain_words(detail['msg'])}"


def in_plain_words(message: str) -> str:
    """Pydantic's message about one value, without the names of pydantic's classes."""
    found = _EXPECTED.match(message)
    return f"expected {found[1]}" if found else message.removeprefix("Value error, ")


def _unknown(key: str, section: Location) -> str:
    allowed = _keys(_type_at(section))
    close = get_close_matches(key, allowed, 1)
    guess = f"; did you mean {close[0]}?" if close else ""
    return f" is unknown; allowed here: {', '.join(allowed)}{guess}"


def _listed(quoted: str) -> str:
    """Sorts pydantic's "'b', 'a' or 'c'" and removes the quotes."""
    return ", ".join(sorted(re.findall(r"'([^']*)'", quoted)))


def _keys(section: Any) -> Sequence[str]:
    return sorted(field.alias or name for name, field in section.model_fields.items())


def _type_at(location: Location) -> Any:
    """The annotation at a location: through sections and the chosen kind within them."""
    found: Any = Settings
    for part in location:
        found = _inner(found, part)
    return _bare(found)


def _inner(outer: Any, part: int | str) -> Any:
    bare = _bare(outer)
    if isinstance(bare, type) and issubclass(bare, BaseModel):
        fields = {field.alias or name: field for name, field in bare.model_fields.items()}
        return fields[str(part)].annotation
    if get_origin(bare) is tuple:
        return get_args(bare)[0]
    if part in _kinds(bare):
        return _kinds(bare)[str(part)]
    return get_args(bare)[-1]  # a mapping's values


def _bare(annotation: Any) -> Any:
    """The annotation without ``Annotated`` and ``None``."""
    if get_origin(annotation) is Annotated:
        return _bare(get_args(annotation)[0])
    members = [member for member in get_args(annotation) if member is not type(None)]
    if type(None) in get_args(annotation) and len(members) == 1:
        return members[0]
    return annotation


def _kinds(union: Any) -> Mapping[str, type[BaseModel]]:
    """The model of each kind of a section, by name."""
    models = [m for m in get_args(union) if isinstance(m, type) and issubclass(m, BaseModel)]
    named = {
        get_args(model.model_fields["kind"].annotation)[0]: model
        for model in models
        if "kind" in model.model_fields
    }
    return dict(sorted(named.items()))
