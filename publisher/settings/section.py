"""What every section of the settings is."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="after")
    def _usable_as_text(self) -> Self:
        for name, value in self:
            if isinstance(value, str | Path) and "\0" in str(value):
                raise ValueError(f"{name} contains a NUL character")
        return self
