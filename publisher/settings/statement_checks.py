"""The section ``[check]``: statements that the service looks at before they are run."""

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
    """Whether `POST /check` is answered: [rules](analysis.md#rules) that a statement breaks. Where the
    pages about the service are protected, it is, too: [operations](operations.md#check-statements).
    """

    dialect: DialectName = "hive"
    """Of requests that name none: one of [these](analysis.md#the-request)."""

    rules: Mapping[str, bool] = Field(default_factory=dict)
    """Turned on or off by [name](analysis.md#rules), such as `cross_join = false`."""

    max_bytes: Annotated[int, Field(ge=1, le=16_777_216)] = 262_144
    """A longer request is refused."""

    timeout_seconds: Annotated[float, Field(gt=0)] = 5.0
    """A check is killed after this time."""

    memory_bytes: Annotated[int, Field(ge=268_435_456)] = 1_073_741_824
    """Address space of one process."""

    processes: Annotated[int, Field(ge=1, le=16)] = 1
    """How many statements are checked at the same time, each by a process that keeps the catalog."""

    max_waiting: Annotated[int, Field(ge=0)] = 64
    """Further requests wait, and clients take turns. Beyond this number the newest of the address with
    the most is refused with 503.
    """

    refresh_seconds: Annotated[float, Field(gt=0)] = 10.0
    """How often the service's knowledge of relations is brought to these processes."""

    grants_file: Path | None = None
    """Who may do what, as [JSON](analysis.md#permissions): requests that name a `user` are then answered
    with the privileges that this user lacks, too. Read when the service starts.
    """

    grants_from_metastore: bool = False
    """Who may do what, as the catalog's [metastore](analysis.md#privileges-of-a-metastore) says, with
    `catalog.kind = "hive"`. A user's privileges are read when a request first names the user.
    """

    grants_refresh_seconds: Annotated[float, Field(gt=0)] = 60.0
    """For so long the privileges of a user that were read are used."""

    views: Literal["itself", "through"] = "itself"
    """What a user needs who reads a view: the view, or all that its query reads."""

    def grants(self) -> object:
        """What the file holds; None without one.

        Raises:
            SettingsError: it cannot be read, or is not JSON.
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
