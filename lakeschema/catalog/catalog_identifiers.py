"""Identifies a table, view or function in one catalog: by namespace and name, or by a path.

It follows the proposal "Identifiers for multi-catalog Spark". Each catalog interprets namespaces by
its own rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from lakeschema.catalog.errors import Refusal, SessionRefused


@dataclass(frozen=True, slots=True, order=True)
class CatalogIdentifier:
    """The identifier of an object in a catalog, in the letter case by which the catalog compares names.

    Attributes:
        namespace: the levels from the outermost to the innermost; for a path, the path alone.
        name: the last part; for a path, its last segment that is not empty.
        is_path: whether a path identifies the object.
    """

    namespace: tuple[str, ...]
    name: str
    is_path: bool = False

    def __post_init__(self) -> None:
        if not self.is_path:
            return
        if len(self.namespace) != 1 or _last_segment(self.namespace[0]) != self.name:
            raise ValueError(f"expected a path and its last segment, got {self!r}")

    @classmethod
    def of_path(cls, path: str) -> CatalogIdentifier:
        """The identifier of a path: ``s3://bucket/place/name/`` has the name ``name``.

        Raises:
            SessionRefused: the path has only empty segments.
        """
        name = _last_segment(path)
        if not name:
            raise SessionRefused(
                Refusal.NOT_A_PATH,
                f"{path!r} is not a path: each of its segments is empty",
                "write a path such as 's3://bucket/folder/table'",
            )
        return cls((path,), name, is_path=True)

    @property
    def path(self) -> str:
        """The path of the object.

        Raises:
            SessionRefused: a name identifies the object.
        """
        if not self.is_path:
            raise SessionRefused(
                Refusal.NOT_A_PATH,
                f"{self.name!r} in namespace {list(self.namespace)} is a name, not a path",
                "ask only identifiers of paths for their path",
            )
        return self.namespace[0]

    @property
    def parts(self) -> tuple[str, ...]:
        """The levels and the name; for a path, the path alone."""
        return self.namespace if self.is_path else (*self.namespace, self.name)


def _last_segment(path: str) -> str:
    return next((segment for segment in reversed(path.split("/")) if segment), "")
