"""Renders templates of this package to the bytes of a page.

Every value is escaped, and a misspelt name in a template is an error. Pages run no script and load
nothing; their one stylesheet is part of them, and the security policy names its hash.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from publisher.pictures.graph import Tone
from publisher.pictures.of_relations import tone_of
from publisher.pictures.style import STYLE
from publisher.web.navigation import NAVIGATION

MAX_TEXT: Final = 20_000
_UNBROKEN: Final = 24
"""The number of letters that fit into the narrowest column of names."""
_BREAK: Final = Markup("<wbr>")
_AFTER_A_WORD: Final = re.compile(r"(?<=[._])(?=[^._])")


def moment(epoch_seconds: float) -> str:
    """A time to the minute, in UTC."""
    return datetime.fromtimestamp(epoch_seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def shorten(text: str, limit: int = MAX_TEXT) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def breakable(name: str) -> Markup:
    """A long name as HTML that a line may break after dots and underscores, not within words."""
    words = _AFTER_A_WORD.split(name) if len(name) > _UNBROKEN else [name]
    return _BREAK.join(map(escape, words))


def age(seconds: float) -> str:
    """A time span in its largest unit."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit}"
    return f"{max(0, int(seconds))} s"


def status_class(status: str) -> str:
    """The CSS class of a relation's status."""
    if status == "OK":
        return "good"
    return "bad" if tone_of(status) is Tone.BAD else "warn"


def labelled(rows: Markup, columns: Sequence[str]) -> Markup:
    """A table's rows, each cell with the name of its column, for a style that stacks the cells.

    ``rows`` are rendered and escaped, so that no text in them looks like a tag.
    """
    attributes = [f' data-label="{escape(column)}"' for column in columns]
    labels: Iterator[str] = iter(())

    def label(tag: re.Match[str]) -> str:
        nonlocal labels
        if tag[0] == "<tr":
            labels = iter(attributes)
            return tag[0]
        return tag[0] + next(labels, ' data-label=""')

    return Markup(_ROW_OR_CELL.sub(label, rows))  # noqa: S704 - only adds escaped attributes


_ROW_OR_CELL: Final = re.compile(r"<t[rdh](?=[ >])")


def _load_templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("publisher.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Installed templates never change, so each is compiled only once.
        auto_reload=False,
    )
    templates.globals["style_of_pictures"] = STYLE
    templates.filters["shorten"] = shorten
    templates.filters["breakable"] = breakable
    templates.filters["labelled"] = labelled
    templates.filters["moment"] = moment
    templates.filters["age"] = age
    templates.filters["status_class"] = status_class
    # Readers copy commands into a shell, and the names in them are untrusted.
    templates.filters["shell_quoted"] = shlex.quote
    return templates


_TEMPLATES: Final = _load_templates()


def render(template: str, page: object) -> bytes:
    """The page as bytes. ``page`` has the template's data; its texts are plain, not HTML."""
    shown = _TEMPLATES.get_template(template).render(page=page, navigation=NAVIGATION.get())
    # A lone surrogate has no bytes in UTF-8.
    return shown.encode("utf-8", "replace")


def _security_policy() -> str:
    style_hash = base64.b64encode(hashlib.sha256(render("style.css", None)).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{style_hash}'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )


CONTENT_SECURITY_POLICY: Final = _security_policy()
