"""The section ``[trino]``: what is written for Trino, and the server on which views are made."""

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
_PLACE = re.compile(r"[^.{}\s]+\.(?:[^.{}\s]|\{database\})+")


def check_place(value: str) -> str:
    """The value of ``views``, as it is.

    Raises:
        ValueError: it is no catalog and schema.
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
    """The function in Trino; `{1}`, `{2}` are what each `*` of `class` stood for; also `{package}`, `{name}`."""

    @property
    def rule(self) -> TrinoUdfRule:
        return TrinoUdfRule(self.class_pattern, self.trino_name)


class Trino(Section):
    url: PublicUrl | None = None
    """The server on which `register` makes views, such as `"https://trino.example:8443"`."""

    username: Annotated[str, Field(repr=False)] = "schema-publisher"
    """Who makes them, and owns them."""

    password: SecretStr | None = None
    """The password of `username`; better in a file of its own, `password_file`."""

    password_file: Path | None = None
    """A file that holds the password and nothing else."""

    timeout_seconds: Annotated[float, Field(gt=0)] = 60.0
    """For one answer of the server; a statement may take several."""

    views: str | None = None
    """Where views are made, as a catalog and a schema: `"hive.trino_{database}"`.

    `{database}` is the database of the view. A catalog that shows the metastore in which the views
    are has their own names already, so that the schema has to be another.
    """

    catalogs: Mapping[str, str] = Field(default_factory=dict)
    """The name in Trino of each catalog, `""` being that of relations without one: `{ "" = "hive" }`.

    Without a name: the one in which the view is made.
    """

    udfs: tuple[TrinoUdfSettings, ...] = ()
    """Rules for the function that stands for a view's class on Trino; the first match counts.

    Without a rule it is the class's simple name in lower case.
    """

    overflow: Annotated[Overflow, option("overflow")] = Overflow.REFUSE
    """What whole numbers do where the result does not fit, and the view's engine wraps: `"refuse"` or `"wrap"`."""

    nulls: Annotated[NullOrder, option("nulls")] = NullOrder.LAST
    """Where Hive's ascending orders have nulls if they do not say: `"last"`, since Hive 3, or `"first"`."""

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
        """The password as it is now; None where there is none.

        Raises:
            SettingsError: the file is not readable.
        """
        return given_secret("trino", self.password, self.password_file)
