"""The base class of all sections of the settings."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator


class Section(BaseModel):
    """One section of the settings.

    The string beneath an attribute says what the setting means, in Markdown with links relative to
    ``docs/``; ``meanings`` reads it on demand. Pydantic's ``use_attribute_docstrings`` would parse
    the sources at each import.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="after")
    def _usable_as_text(self) -> Self:
        for name, value in self:
            if isinstance(value, str | Path) and "\0" in str(value):
                raise ValueError(f"{name} contains a NUL character")
        return self
