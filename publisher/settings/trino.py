"""The section ``[trino]``: the SQL for Trino, and the server on which views are created."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, SecretStr, field_validator, model_validator

from lakeschema.translation.model.interface import NullOrder, Overflow, TrinoUdfRule
from publisher.settings.fields import PublicUrl, option
from publisher.settings.secrets import given_secret
from publisher.settings.section import Section

DATABASE = "{database}"
CATALOG = "{catalog}"
_PLACE = re.compile(r"[^.{}\s]+\.(?:[^.{}\s]|\{database\}|\{catalog\})+")


def check_place(value: str) -> str:
    """Returns the value of ``views`` unchanged.

    Raises:
        ValueError: the value is not a catalog and a schema.
    """
    if not _PLACE.fullmatch(value):
        raise ValueError(
            f"invalid place {value!r}: expected CATALOG.SCHEMA, such as hive.trino_{DATABASE}"
        )
    return value


class TrinoUdfSettings(Section):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_name=False)

    class_pattern: Annotated[str, Field(alias="class")]
    """A pattern of the class that the view declares; each `*` stands for any text."""

    trino_name: str
    """The function in Trino: `{1}`, `{2}` are the texts that `class` matched by `*`; also
    `{package}`, `{name}`."""

    @property
    def rule(self) -> TrinoUdfRule:
        return TrinoUdfRule(self.class_pattern, self.trino_name)


class Trino(Section):
    url: PublicUrl | None = None
    """The server on which `register` creates views, such as `"https://trino.example:8443"`."""

    username: Annotated[str, Field(repr=False)] = "schema-publisher"
    """The user who creates and owns the views."""

    password: SecretStr | None = None
    """The password of `username`; `password_file` is safer."""

    password_file: Path | None = None
    """A file that holds the password and nothing else."""

    timeout_seconds: Annotated[float, Field(gt=0)] = 60.0
    """How long to wait for one answer of the server; a statement may take several."""

    views: str | None = None
    """Where views are created, as a catalog and a schema: `"hive.trino_{database}"`.

    `{database}` is the database of the view, or the innermost level of its namespace. `{catalog}` is
    the name of its catalog, or `default`. If Trino's catalog uses the metastore of the views, their names
    are taken already. Then the schema must be another one.
    """

    catalogs: Mapping[str, str] = Field(default_factory=dict)
    """The name in Trino of each catalog; `""` stands for relations without a catalog: `{ "" = "hive"
    }`.

    For a catalog that is missing here: the catalog in which the view is created."""

    udfs: tuple[TrinoUdfSettings, ...] = ()
    """Rules for the function that replaces a view's class on Trino; the first match counts.

    Without a rule, the function has the class's simple name in lower case."""

    overflow: Annotated[Overflow, option("overflow")] = Overflow.REFUSE
    """What happens to whole numbers that overflow, if the view's engine wraps them: `"refuse"` or
    `"wrap"`."""

    nulls: Annotated[NullOrder, option("nulls")] = NullOrder.LAST
    """The default place of nulls in Hive's ascending orders: `"last"`, since Hive 3, or
    `"first"`."""

    @field_validator("views")
    @classmethod
    def _of_two_parts(cls, value: str | None) -> str | None:
        return None if value is None else check_place(value)

    @model_validator(mode="after")
    def _encrypted(self) -> Trino:
        given = self.password is not None or self.password_file is not None
        if self.url is None:
            return self
        if urlsplit(self.url).path not in {"", "/"}:
            raise ValueError("url may have no path: expected https://HOST:PORT")
        if given and urlsplit(self.url).scheme == "http":
            raise ValueError(
                "url is plain http://, over which Trino takes no password; use https://"
            )
        return self

    def secret(self) -> str | None:
        """The current password, or None.

        Raises:
            SettingsError: the file is not readable.
        """
        return given_secret("trino", self.password, self.password_file)
