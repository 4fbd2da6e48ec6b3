"""Typed Avro schemas of a data lake's tables and views, and its views in any Spark session.

The public names, which keep their meaning within a major version:

- ``derive(relation, ddl)``: the Avro schema of a table or view, from DDL alone.
- ``register_views(session, catalog)``: every view of a catalog as a temporary view of a session.
- ``udfs``: the answers of a plugin that knows the types of user-defined functions.

Everything else in this package may change with any release.
"""

from __future__ import annotations

import importlib

# Known to type checkers; importing typing would be most of the package's import time.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from lakeschema import udfs
    from lakeschema.public import derive, register_views

__all__ = ["derive", "register_views", "udfs"]


def __getattr__(name: str) -> object:
    """Imports a public name at its first use, so that unused modules are not loaded."""
    if name == "udfs":
        return importlib.import_module("lakeschema.udfs")
    if name in __all__:
        return getattr(importlib.import_module("lakeschema.public"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
