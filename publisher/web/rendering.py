"""Renders templates of this package to the bytes of a page.

Every value is escaped, and a misspelt name in a template is an error. Pages run no script and load
nothing; their one stylesheet is part of them, and the security policy names its hash.
"""

from __future__ import annotations

import base64
import hashlib
import shlex
from datetime import UTC, datetime
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

MAX_TEXT: Final = 20_000


def moment(epoch_seconds: float) -> str:
    """A time to the minute, in UTC."""
    return datetime.fromtimestamp(epoch_seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def shorten(text: str, limit: int = MAX_TEXT) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


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
    templates.filters["shorten"] = shorten
    templates.filters["moment"] = moment
    # Readers copy commands into a shell, and the names in them are untrusted.
    templates.filters["shell_quoted"] = shlex.quote
    return templates


_TEMPLATES: Final = _load_templates()


def render(template: str, page: object) -> bytes:
    """``page`` is the template's data; its texts are plain, not HTML."""
    shown = _TEMPLATES.get_template(template).render(page=page)
    # A lone surrogate has no bytes in UTF-8.
    return shown.encode("utf-8", "replace")


def _security_policy() -> str:
    style_hash = base64.b64encode(hashlib.sha256(render("style.css", None)).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{style_hash}'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )


CONTENT_SECURITY_POLICY: Final = _security_policy()
