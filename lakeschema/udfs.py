"""The answers of a plugin that knows the types of UDFs: ``docs/user-defined-functions.md``."""

from lakeschema.catalog.column_types import parse_type
from lakeschema.translation.model.interface import (
    Returns,
    ReturnsArgument,
    ReturnsRows,
    UdfResolver,
    UdfReturn,
)

__all__ = ["Returns", "ReturnsArgument", "ReturnsRows", "UdfResolver", "UdfReturn", "parse_type"]
