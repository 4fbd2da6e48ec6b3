"""Replaces Trino's names of catalogs by the deployment's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

from lakeschema.translation.syntax import tree

_WHOLE: Final = 3


def without_catalogs(query: tree.Query, catalogs: Mapping[str, str]) -> tree.Query:
    """The query with each catalog name of Trino replaced by the deployment's.

    Only names of three parts begin with a catalog.

    ``catalogs`` gives each catalog's name in Trino, as in ``Options.trino_catalogs``.
    """
    if not catalogs:
        return query
    ours = {theirs.lower(): own for own, theirs in catalogs.items()}
    changed: tree.Query = _changed(query, ours)
    return changed


def _changed(node: Any, ours: Mapping[str, str]) -> Any:
    if isinstance(node, tree.TableName):
        catalog = ours.get(node.parts[0].lower()) if len(node.parts) == _WHOLE else None
        if catalog is None:
            return node
        return replace(node, parts=(*filter(None, (catalog,)), *node.parts[1:]))
    if isinstance(node, tuple):
        return tuple(_changed(part, ours) for part in node)
    if not is_dataclass(node) or isinstance(node, type):
        return node
    inner = {f.name: getattr(node, f.name) for f in fields(node)}
    changed = {name: _changed(value, ours) for name, value in inner.items()}
    return node if changed == inner else replace(node, **changed)
