"""Reads a user's privileges from a Hive Metastore: by grants, through nested roles, and as owner.

The result has the form of a file of grants. Privileges on partitions are left out, since they do
not cover a whole table. Privileges of groups are left out, since the metastore does not know the
members. The role ``admin`` is not followed, since it needs SET ROLE.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from hive_metastore.constants import HIVE_FILTER_FIELD_OWNER
from hive_metastore.ttypes import (
    HiveObjectRef,
    HiveObjectType,
    NoSuchObjectException,
    PrincipalType,
)
from thrift.Thrift import TException

from lakeschema.catalog.errors import CatalogRefused
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_client import MetastoreClient

Result = TypeVar("Result")
ADMIN: Final = "admin"
_KNOWN: Final = frozenset(
    {"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "ALL"}
)
"""Hive's privileges that matter; INDEX, LOCK and SHOW_DATABASE give no access to rows."""
_PLAIN: Final = re.compile(r"[\w.@ -]{1,256}")
"""Owners that are safe in a filter, whose grammar has quotation marks."""
_DEFAULT_CATALOG: Final = "hive"
_BATCH: Final = 200


class MetastoreGrants:
    """Reads one user's grants at a time, because a metastore lists no users. Safe for threads."""

    def __init__(self, client: MetastoreClient, catalog: str = "") -> None:
        """``catalog``: the ``RelationName.catalog`` of the metastore's relations."""
        self._client = client
        self._catalog = catalog

    def of(self, user: str) -> Mapping[str, Any]:
        """The grants of one user: ``{"roles": {role: [user]}, "grants": [...]}``.

        Raises:
            CatalogUnavailable: the metastore did not answer.
            CatalogRefused: the metastore refuses to answer.
        """
        try:
            return self._of(user)
        except TException as error:
            reason = str(getattr(error, "message", None) or type(error).__name__)
            what = f"the privileges of {user}"
            raise CatalogRefused(self._client.name, what, reason.splitlines()[0][:500]) from error

    def _of(self, user: str) -> Mapping[str, Any]:
        roles = self._roles(user)
        grants = [*self._stated("user", user, PrincipalType.USER)]
        for role in roles:
            grants += self._stated("role", role, PrincipalType.ROLE)
        grants += self._owned(user, frozenset(roles))
        return {"roles": {role: [user] for role in roles}, "grants": grants}

    def _roles(self, user: str) -> Sequence[str]:
        """The user's roles, and the roles of these roles."""
        found: dict[str, None] = {}
        pending = [(user, PrincipalType.USER)]
        while pending:
            name, kind = pending.pop()
            for role in self._ask(lambda client, n=name, k=kind: client.list_roles(n, k)):
                inner = str(role.roleName)
                if inner not in found and inner.lower() != ADMIN:
                    found[inner] = None
                    pending.append((inner, PrincipalType.ROLE))
        return tuple(found)

    def _stated(self, kind: str, name: str, principal: int) -> Iterator[dict[str, Any]]:
        everything = HiveObjectRef()
        found = self._ask(lambda client: client.list_privileges(name, principal, everything))
        for each in found:
            place = self._place(each.hiveObject)
            privilege = str(each.grantInfo.privilege).upper()
            if place is not None and privilege in _KNOWN:
                on, columns = place
                yield _grant(kind, name, [privilege], on, columns)

    def _owned(self, user: str, roles: frozenset[str]) -> Iterator[dict[str, Any]]:
        """The grants of owners: all privileges on a table; on a database, to create in it."""
        owners = [name for name in (user, *roles) if _PLAIN.fullmatch(name)]
        filters = " or ".join(f'{HIVE_FILTER_FIELD_OWNER} = "{name}"' for name in owners)
        for database in self._ask(lambda client: client.get_all_databases()):
            found = self._database(database)
            if found is None:
                continue
            if _is_owned(found.ownerName, found.ownerType, user, roles):
                yield _grant("user", user, ["CREATE"], self._in(database))
            if filters:
                yield from self._owned_tables(database, filters, user, roles)

    def _owned_tables(
        self, database: str, filters: str, user: str, roles: frozenset[str]
    ) -> Iterator[dict[str, Any]]:
        names = list(
            self._ask(lambda client: client.get_table_names_by_filter(database, filters, -1))
        )
        for start in range(0, len(names), _BATCH):
            part = names[start : start + _BATCH]
            tables = self._ask(lambda client, p=part: client.get_table_objects_by_name(database, p))
            for table in tables:
                # Metastores before 3 have no owner type: the owner is a user.
                if _is_owned(table.owner, getattr(table, "ownerType", None), user, roles):
                    yield _grant("user", user, ["ALL"], self._name(database, table.tableName))

    def _database(self, name: str) -> Any:
        try:
            return self._ask(lambda client: client.get_database(name))
        except NoSuchObjectException:
            return None

    def _place(self, found: Any) -> tuple[str, Sequence[str]] | None:
        """The names of an object and its columns in a file of grants; None if they have no such names."""
        if found.partValues or (found.catName or _DEFAULT_CATALOG) != _DEFAULT_CATALOG:
            return None
        match found.objectType:
            case HiveObjectType.GLOBAL:
                return f"{self._catalog}:*", ()
            case HiveObjectType.DATABASE:
                return self._in(found.dbName), ()
            case HiveObjectType.TABLE:
                return self._name(found.dbName, found.objectName), ()
            case HiveObjectType.COLUMN:
                return self._name(found.dbName, found.objectName), (found.columnName,)
            case _:
                return None

    def _in(self, database: str) -> str:
        return f"{self._name(database)}.*"

    def _name(self, *parts: str) -> str:
        return str(replace(RelationName.of(*parts), catalog=self._catalog))

    def _ask(self, call: Callable[..., Any]) -> Any:
        return self._client.run(call)


def _is_owned(owner: str | None, kind: int | None, user: str, roles: frozenset[str]) -> bool:
    if kind == PrincipalType.ROLE:
        return owner in roles
    return owner == user and kind in {None, PrincipalType.USER}


def _grant(
    kind: str, name: str, privileges: Sequence[str], on: str, columns: Iterable[str] = ()
) -> dict[str, Any]:
    found: dict[str, Any] = {kind: name, "privileges": list(privileges), "on": on}
    return {**found, "columns": list(columns)} if columns else found
