"""Makes relative paths in settings relative to their file's folder, not to the working directory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from publisher.settings.fields import SQLITE

M = TypeVar("M", bound=BaseModel)


def anchored(settings: M, folder: Path) -> M:
    """The settings with each relative path, and the state's file, moved below ``folder``."""
    changed = {
        name: value
        for name in type(settings).model_fields
        if (value := _anchored(getattr(settings, name), folder)) is not getattr(settings, name)
    }
    return settings.model_copy(update=changed) if changed else settings


def _anchored(value: Any, folder: Path) -> Any:
    match value:
        case BaseModel():
            return anchored(value, folder)
        case Path() if not value.is_absolute():
            return folder / value
        case str() if value.startswith(SQLITE):
            return f"{SQLITE}{folder / value.removeprefix(SQLITE)}"
        case tuple() if any(isinstance(each, BaseModel | Path) for each in value):
            return tuple(_anchored(each, folder) for each in value)
        case Mapping() if any(isinstance(each, BaseModel | Path) for each in value.values()):
            return {key: _anchored(each, folder) for key, each in value.items()}
        case _:
            return value
