"""A deployment's plugin at three moments; executors import it by name, like an installed plugin."""

from __future__ import annotations

from lakeschema.catalog.column_types import BIGINT, STRING
from lakeschema.translation.model.interface import Returns


def failing(_class_name: str, _dependencies: tuple[str, ...]) -> Returns:
    raise ConnectionError("the registry is down")


def text(_class_name: str, dependencies: tuple[str, ...]) -> Returns | None:
    return Returns(STRING) if dependencies == ("com.acme:up:1.0",) else None


def number(_class_name: str, _dependencies: tuple[str, ...]) -> Returns:
    return Returns(BIGINT)
