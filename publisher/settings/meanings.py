"""The meaning of each setting: the string beneath its attribute, read from the source on demand.

Code that only reads settings does not import this module, because parsing the sources is slow.
"""

from __future__ import annotations

import ast
import importlib.util
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise

from pydantic import BaseModel

from publisher.settings.effective import EffectiveSetting

_LINK = re.compile(r"\[([^]]+)\]\(([^)]+)\)")


def meanings(section: type[BaseModel]) -> Mapping[str, str]:
    """One line of Markdown for each attribute, with links that are relative to ``docs/``.

    Empty if no source is installed.
    """
    found: dict[str, str] = {}
    for each in reversed(section.__mro__):
        if each.__module__.startswith("publisher."):
            found.update(_of_class(each.__module__, each.__name__))
    return found


def meanings_by_key(found: Iterable[EffectiveSetting]) -> Mapping[str, str]:
    """The meaning of each setting by its dotted key, as a terminal shows it."""
    return {
        each.key: without_links(meanings(each.section).get(each.attribute, "")) for each in found
    }


def without_links(markdown: str) -> str:
    """Markdown for a terminal or an editor: each link becomes its words and the linked file."""
    return _LINK.sub(lambda link: f"{link[1]} ({_file(link[2])})", markdown)


def _file(target: str) -> str:
    return target if "://" in target else posixpath.normpath(posixpath.join("docs", target))


def _of_class(module: str, name: str) -> Mapping[str, str]:
    return _of_module(module).get(name, {})


@cache
def _of_module(module: str) -> Mapping[str, Mapping[str, str]]:
    spec = importlib.util.find_spec(module)
    # The loader of a zip archive also has the source.
    source = getattr(spec and spec.loader, "get_source", lambda _: None)(module)
    tree = ast.parse(source or "")
    return {
        each.name: dict(_attributes(each.body))
        for each in tree.body
        if isinstance(each, ast.ClassDef)
    }


def _attributes(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str]]:
    for statement, following in pairwise(body):
        match statement, following:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, " ".join(text.split())
            case _:
                pass
