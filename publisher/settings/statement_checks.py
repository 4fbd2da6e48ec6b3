"""The section ``[check]``: checks of statements before they run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from publisher.settings.errors import SettingsError
from publisher.settings.fields import DialectName
from publisher.settings.section import Section


class Check(Section):
    enabled: bool = False
    """Whether `POST /check` is answered with the [rules](analysis.md#rules) that a statement
    breaks. It is protected like the pages about the service:
    [operations](operations.md#check-statements)."""

    dialect: DialectName = "hive"
    """The dialect of requests that name no dialect: one of [these](analysis.md#the-request)."""

    rules: Mapping[str, bool] = Field(default_factory=dict)
    """Rules turned on or off by [name](analysis.md#rules), such as `cross_join = false`."""

    max_bytes: Annotated[int, Field(ge=1, le=16_777_216)] = 262_144
    """The longest request that is accepted."""

    timeout_seconds: Annotated[float, Field(gt=0)] = 5.0
    """A check is killed after this time."""

    memory_bytes: Annotated[int, Field(ge=268_435_456)] = 1_073_741_824
    """The address space of one process."""

    processes: Annotated[int, Field(ge=1, le=16)] = 1
    """How many processes check statements at the same time; each keeps the catalog."""

    max_waiting: Annotated[int, Field(ge=0)] = 64
    """How many further requests wait, while clients take turns. Beyond this number, the newest
    request of the address with the most requests is refused with 503."""

    refresh_seconds: Annotated[float, Field(gt=0)] = 10.0
    """How often these processes learn of changed relations."""

    grants_file: Path | None = None
    """The users' privileges, as [JSON](analysis.md#permissions), read when the service starts. The
    answer to a request with a `user` then lists the privileges that this user lacks."""

    grants_from_metastore: bool = False
    """Whether privileges come from the catalog's
    [metastore](analysis.md#privileges-of-a-metastore); needs `catalog.kind = "hive"`. A user's
    privileges are read when a request first names the user."""

    grants_refresh_seconds: Annotated[float, Field(gt=0)] = 60.0
    """How long a user's privileges are used before they are read again."""

    views: Literal["itself", "through"] = "itself"
    """The relations for which a reader of a view needs privileges: the view itself, or all relations that
    its query reads.
    """

    def grants(self) -> object:
        """The content of the file; None without a file.

        Raises:
            SettingsError: the file cannot be read, or is not JSON.
        """
        if self.grants_file is None:
            return None
        try:
            return json.loads(self.grants_file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise SettingsError((f"check.grants_file ({self.grants_file}): {error}",)) from None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.grants_from_metastore and self.grants_file is not None:
            raise ValueError("grants_file and grants_from_metastore exclude each other")
        return self
