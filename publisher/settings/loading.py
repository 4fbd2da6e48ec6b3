"""Reads settings from ``schema-publisher.toml`` and the environment, and checks them as a whole."""

from __future__ import annotations

import logging
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pydantic_settings
from pydantic import ValidationError

from publisher.settings.anchoring import anchored
from publisher.settings.errors import SettingsError
from publisher.settings.problems import problem
from publisher.settings.secrets import learn_secrets
from publisher.settings.sections import ENVIRONMENT_PREFIX, Settings

log = logging.getLogger(__name__)

DEFAULT_FILE = Path("schema-publisher.toml")

_ONE_UNDERSCORE = re.compile(r"SCHEMA_PUBLISHER_(?P<key>[^_].*)", re.IGNORECASE)


def load_settings(path: Path | None) -> Settings:
    """Reads the file ``path`` and the environment.

    The default file may be missing: ``schema-publisher.toml`` here. Relative paths, also from the
    environment, start at the folder of the file.

    Raises:
        SettingsError: names each wrong setting.
    """
    file = path or DEFAULT_FILE
    content = read_file(path)
    problems = _unknown_variables(os.environ)
    for variable in sorted(os.environ):
        _warn_if_ignored(variable)
    if problems:
        raise SettingsError(problems)
    try:
        settings = Settings(**content)
    except ValidationError as error:
        details = error.errors()
        raise SettingsError(
            tuple(problem(detail, str(file), os.environ) for detail in details)
        ) from None
    except pydantic_settings.SettingsError as error:
        raise SettingsError((_not_json(error),)) from None
    learn_secrets(settings)
    return anchored(settings, file.parent)


def read_file(path: Path | None) -> dict[str, Any]:
    """The unchecked content of the settings file; empty if the default file does not exist.

    Raises:
        SettingsError: the file cannot be read.
    """
    file = path or DEFAULT_FILE
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        if path is None:
            return {}
        raise SettingsError((f"{file}: the file does not exist",)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError((f"{file}: cannot be read: {error}",)) from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError((f"{file}: is not TOML: {error}",)) from None


def _unknown_variables(environment: Mapping[str, str]) -> tuple[str, ...]:
    problems = (_variable_problem(variable) for variable in sorted(environment))
    return tuple(problem for problem in problems if problem)


def _variable_problem(variable: str) -> str:
    """The error in a variable's name; "" for a valid name and for other programs' variables."""
    sections = sorted(Settings.model_fields)
    one_underscore = _ONE_UNDERSCORE.fullmatch(variable)
    if one_underscore and "__" in one_underscore["key"]:
        wanted = ENVIRONMENT_PREFIX + one_underscore["key"].upper()
        return f"{variable} (environment) is unknown; did you mean {wanted}?"
    if not variable.upper().startswith(ENVIRONMENT_PREFIX):
        return ""
    section = variable[len(ENVIRONMENT_PREFIX) :].split("__", maxsplit=1)[0].lower()
    if section in sections:
        return ""
    return f"{variable} (environment): unknown section {section!r}; the sections are {', '.join(sections)}"


def _warn_if_ignored(variable: str) -> None:
    """Warns about a name that is almost a setting's.

    It does not refuse the name, because Kubernetes sets similar variables for a service with the program's
    name.
    """
    found = _ONE_UNDERSCORE.fullmatch(variable)
    if found is None or "__" in found["key"]:
        return
    section, _, key = found["key"].partition("_")
    if section.lower() in Settings.model_fields and key:
        wanted = f"{ENVIRONMENT_PREFIX}{section}__{key}".upper()
        log.warning("%s (environment) is not read; did you mean %s?", variable, wanted)


def _not_json(error: pydantic_settings.SettingsError) -> str:
    """The error for a value that is not JSON, without the value, because it may be a secret."""
    field = re.search(r'field "(\w+)"', str(error))
    variable = ENVIRONMENT_PREFIX + (field[1].upper() if field else "…")
    example = '[{"kind": "notification-log"}]'
    return f"{variable} (environment): expected JSON, such as {example}: {error.__cause__}"
