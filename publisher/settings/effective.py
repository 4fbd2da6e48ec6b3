"""Every setting with its current value and where it was read; never a secret."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, SecretStr

from publisher.redaction import SECRETS
from publisher.settings.sections import ENVIRONMENT_PREFIX, Settings

Origin: TypeAlias = Literal["environment", "file", "default"]
_Path: TypeAlias = tuple[str, ...]
_Declared: TypeAlias = tuple[type[BaseModel], str]

HIDDEN = "***"


@dataclass(frozen=True, slots=True)
class EffectiveSetting:
    """A setting with its value, and the place where it was set.

    Attributes:
        key: dotted, as in errors.
        value: a JSON value, or None if unset.
        section, attribute: the declaration of the setting in the program.
    """

    key: str
    value: Any
    origin: Origin
    section: type[BaseModel]
    attribute: str


def effective_settings(
    settings: Settings, content: Mapping[str, Any], environment: Mapping[str, str]
) -> Sequence[EffectiveSetting]:
    given = {name.upper() for name in environment}
    return [
        EffectiveSetting(".".join(path), value, _origin(path, content, given), *declared)
        for path, value, declared in _leaves(settings, ())
    ]


def _leaves(model: BaseModel, path: _Path) -> Iterator[tuple[_Path, Any, _Declared]]:
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        here = (*path, field.alias or name)
        if here == ("catalog",) and len(value) == 1:
            (value,) = value
        yield from _of_value(value, here, (type(model), name))


def _of_value(
    value: Any, path: _Path, declared: _Declared
) -> Iterator[tuple[_Path, Any, _Declared]]:
    match value:
        case BaseModel():
            yield from _leaves(value, path)
        case tuple() if any(isinstance(each, BaseModel) for each in value):
            for number, each in enumerate(value):
                yield from _of_value(each, (*path, str(number)), declared)
        case Mapping() if any(isinstance(each, BaseModel) for each in value.values()):
            for key, each in value.items():
                yield from _of_value(each, (*path, key), declared)
        case _:
            section, name = declared
            field = section.model_fields[name]
            # The documents list the defaults, so these are no secrets.
            yield path, _shown(value, is_shown=field.repr or value == field.default), declared


def _shown(value: Any, *, is_shown: bool) -> Any:
    match value:
        case None | bool() | int() | float():
            return value
        case SecretStr():
            return HIDDEN
        case Enum() | Path():
            return str(value.value if isinstance(value, Enum) else value)
        case str():
            # Hidden as a whole: a key may be a user's name, an address may hold a password.
            return SECRETS.redact(value) if is_shown or "://" in value else HIDDEN
        case Mapping():
            return {str(key): _shown(each, is_shown=is_shown) for key, each in value.items()}
        case tuple() | list():
            return [_shown(each, is_shown=is_shown) for each in value]
        case _:
            return HIDDEN


def _origin(path: _Path, content: Mapping[str, Any], given: set[str]) -> Origin:
    variables = {
        ENVIRONMENT_PREFIX + "__".join(path[:length]).upper() for length in range(1, len(path) + 1)
    }
    if variables & given:
        return "environment"
    return "file" if _is_in(content, path) else "default"


def _is_in(content: Any, path: _Path) -> bool:
    found = content
    for position, part in enumerate(path):
        if position == 1 and path[0] == "catalog" and isinstance(found, list) and len(found) == 1:
            (found,) = found
        match found:
            case Mapping() if part in found:
                found = found[part]
            case list() if part.isdigit() and int(part) < len(found):
                found = found[int(part)]
            case _:
                return False
    return True
