"""The section ``[deployment]``: how people tell this deployment from others."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from publisher.settings.section import Section

Colour = Literal["plain", "blue", "green", "orange", "purple", "red"]


class Deployment(Section):
    name: Annotated[str, Field(max_length=60)] = ""
    """The name at the top of every page, such as `"staging"`. Without it pages show
    `artifacts.prefix`."""

    colour: Colour = "plain"
    """The colour of the name's bar, so that nobody takes staging for production: `"plain"`, `"blue"`,
    `"green"`, `"orange"`, `"purple"` or `"red"`."""
