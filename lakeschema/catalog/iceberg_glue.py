"""Iceberg's tables and views in AWS Glue's Data Catalog.

Credentials, profiles and roles are boto3's own configuration. Only requests that read are sent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import boto3.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoRegionError

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.iceberg import Loaded
from lakeschema.catalog.iceberg_databases import loaded_from
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.own_schemas import UnreadSchema

Result = TypeVar("Result")

_FEW = 20
"""At most this many tables of a database are requested one by one. For more, the database is listed,
with up to 100 tables in a page."""
_MAX_LENGTH = 255
"""The longest name in Glue. Glue refuses requests for longer names."""
_MISSING = "EntityNotFoundException"
_THROTTLED = frozenset(
    {"RequestLimitExceeded", "Throttling", "ThrottlingException", "TooManyRequestsException"}
)
_PASSING = _THROTTLED | {
    "InternalFailure", "InternalServiceException", "OperationTimeoutException", "RequestTimeout",
    "ServiceUnavailable", "ServiceUnavailableException",
}  # fmt: skip
_LOGIN = frozenset(
    {
        "ExpiredToken", "ExpiredTokenException", "IncompleteSignature", "InvalidClientTokenId",
        "InvalidSignatureException", "MissingAuthenticationToken", "UnrecognizedClientException",
    }
)  # fmt: skip
_DENIED = frozenset({"AccessDenied", "AccessDeniedException"})
_MAX_REASON = 300
_ALLOW = "allow the service glue:GetDatabases, glue:GetTables and glue:GetTable"
_SLOWER = "raise events.poll_seconds, or ask AWS for a higher quota"
_CREDENTIALS = "check the AWS credentials and role of the service"


class GlueDatabases:
    """AWS Glue as ``Databases``. Safe for threads."""

    def __init__(
        self,
        *,
        name: str,
        region: str | None = None,
        endpoint: str | None = None,
        catalog_id: str | None = None,
        timeout_seconds: float = 30.0,
        at_once: int = 4,
    ) -> None:
        """Creates a client, without a request to Glue.

        ``name`` is the catalog's name in errors, ``at_once`` the number of parallel requests for tables.

        Raises:
            CatalogRefused: boto3 cannot use its configuration, for example without a region.
        """
        self.name = name
        self._catalog = {} if catalog_id is None else {"CatalogId": catalog_id}
        self._at_once = at_once
        config = Config(
            connect_timeout=timeout_seconds,
            read_timeout=timeout_seconds,
            max_pool_connections=max(at_once, 10),
        )
        try:
            session = boto3.session.Session(region_name=region)
            if not session.region_name:
                # Without this, an empty variable would become a malformed address.
                raise NoRegionError
            self._client = session.client("glue", endpoint_url=endpoint, config=config)
        except (BotoCoreError, ValueError) as error:
            refused = CatalogRefused(name, "the connection", _printable(str(error)))
            if isinstance(error, NoRegionError):
                refused.hint = "set catalog.region"
            raise refused from None

    def databases(self) -> Sequence[str]:
        pages = self._asked(
            "the list of databases",
            lambda: list(self._pages("get_databases", "DatabaseList")),
        )
        return [database["Name"].lower() for database in pages]

    def in_database(self, database: str) -> Mapping[RelationName, Loaded]:
        try:
            tables = self._tables(database)
        except ClientError as error:
            if _code(error) == _MISSING:
                return {}
            raise self._error(f"the tables of {database}", error) from None
        named = ((_name(database, table), loaded_from(table.get("Parameters"))) for table in tables)
        return {name: loaded for name, loaded in named if loaded is not None}

    def load(self, names: Sequence[RelationName]) -> Mapping[RelationName, Loaded]:
        """Loads tables. If Glue refuses one table or database, the others are still loaded."""
        by_database: defaultdict[str, list[RelationName]] = defaultdict(list)
        for name in names:
            by_database[name.namespace[0]].append(name)
        found: dict[RelationName, Loaded] = {}
        for database, asked in by_database.items():
            found |= self._few(asked) if len(asked) <= _FEW else self._many(database, asked)
        return found

    def close(self) -> None:
        self._client.close()

    def _few(self, names: Sequence[RelationName]) -> dict[RelationName, Loaded]:
        if len(names) == 1:
            answers = [self._single(*names)]
        else:
            with ThreadPoolExecutor(self._at_once) as threads:
                answers = list(threads.map(self._single, names))
        pairs = zip(names, answers, strict=True)
        return {name: loaded for name, loaded in pairs if loaded is not None}

    def _many(self, database: str, names: Sequence[RelationName]) -> dict[RelationName, Loaded]:
        try:
            found = self.in_database(database)
        except CatalogRefused:
            # Request each table, since the reasons of refusals may differ.
            return self._few(names)
        return {name: found[name] for name in names if name in found}

    def _single(self, name: RelationName) -> Loaded | None:
        if any(len(part) > _MAX_LENGTH for part in name.parts):
            return None
        asked = {"DatabaseName": name.namespace[0], "Name": name.name, **self._catalog}
        try:
            table = self._reached(lambda: self._client.get_table(**asked))["Table"]
        except ClientError as error:
            code = _code(error)
            if code == _MISSING:
                return None
            failed = self._error(f"table {name}", error)
            if isinstance(failed, CatalogUnavailable):
                raise failed from None
            what = f"; {_ALLOW}" if code in _DENIED else ""
            return UnreadSchema(f"the catalog refuses to return it: {_printable(code)}{what}")
        return loaded_from(table.get("Parameters"))

    def _tables(self, database: str) -> list[dict[str, Any]]:
        return self._reached(
            lambda: list(self._pages("get_tables", "TableList", DatabaseName=database))
        )

    def _pages(self, operation: str, key: str, **asked: str) -> Iterator[dict[str, Any]]:
        for page in self._client.get_paginator(operation).paginate(**asked, **self._catalog):
            yield from page[key]

    def _asked(self, what: str, call: Callable[[], Result]) -> Result:
        try:
            return self._reached(call)
        except ClientError as error:
            raise self._error(what, error) from None

    def _reached(self, call: Callable[[], Result]) -> Result:
        """The result of a call. Errors that Glue states pass through to the caller."""
        try:
            return call()
        except BotoCoreError as error:
            hint = _CREDENTIALS if "redential" in type(error).__name__ else ""
            raise CatalogUnavailable(self.name, _printable(str(error)), hint) from None

    def _error(self, what: str, error: ClientError) -> CatalogRefused | CatalogUnavailable:
        code = _code(error)
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        reason = _printable(f"{code}: {error.response.get('Error', {}).get('Message', '')}")
        if code in _LOGIN:
            # Expired credentials of a role are renewed. Until then nothing is known about any table.
            return CatalogUnavailable(self.name, reason, _CREDENTIALS)
        if code in _PASSING or status == 429 or status >= 500:
            return CatalogUnavailable(self.name, reason, _SLOWER if code in _THROTTLED else "")
        refused = CatalogRefused(self.name, what, reason)
        if code in _DENIED:
            refused.hint = _ALLOW
        return refused


def _name(database: str, table: Mapping[str, Any]) -> RelationName:
    return RelationName((database,), table["Name"].lower())


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", "no code"))


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)[:_MAX_REASON]
