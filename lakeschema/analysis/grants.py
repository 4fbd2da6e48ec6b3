"""Grants from a file, and the privileges that a user lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, Final

from lakeschema.catalog.errors import CatalogError
from lakeschema.catalog.identifiers import Namespace, RelationName, is_catalog_name

EVERY_COLUMN: Final = "*"
EVERYBODY: Final = "public"
_PARTS: Final = re.compile(r"`(?:[^`]|``)*`|[^.]+")


class MalformedGrants(Exception):
    """The value is not a valid list of grants; the message names the place."""


class Privilege(Enum):
    """Privileges, in the order in which they are displayed."""

    SELECT = "SELECT"
    INSERT = "INSERT"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    CREATE = "CREATE"
    DROP = "DROP"
    ALTER = "ALTER"


@dataclass(frozen=True, slots=True)
class Need:
    """A privilege that a statement needs on a table or view.

    Attributes:
        columns: the columns in lower case, with fields in the form of ``field_name``; ``*`` for all
            columns. If empty, a grant on any column is enough for SELECT (as for ``count(*)``);
            another privilege is needed on the whole table.
    """

    privilege: Privilege
    relation: RelationName
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grant:
    """Privileges on a relation, on a namespace, on a catalog, or on everything.

    Without ``relation``, the grant is for the whole ``namespace``. Without both, it is for the whole
    ``catalog``. Without all three, it is for everything.
    """

    privileges: frozenset[Privilege]
    namespace: Namespace | None
    relation: RelationName | None
    columns: frozenset[str] = frozenset()
    catalog: str | None = None

    def concerns(self, need: Need) -> bool:
        if need.privilege not in self.privileges:
            return False
        if self.relation is not None:
            return self.relation == need.relation
        if self.namespace is not None:
            return self.namespace == need.relation.place
        return self.catalog in {None, need.relation.catalog}


@dataclass(frozen=True, slots=True)
class Grants:
    """Grants of users and of roles; everybody is a member of the role ``public``."""

    users: Mapping[str, tuple[Grant, ...]]
    roles: Mapping[str, tuple[Grant, ...]]
    members: Mapping[str, frozenset[str]]

    def of(self, user: str) -> tuple[Grant, ...]:
        """The grants of a user and of the user's roles."""
        found = list(self.users.get(user, ()))
        for role, grants in self.roles.items():
            if role == EVERYBODY or user in self.members.get(role, ()):
                found += grants
        return tuple(found)

    def missing(self, user: str, needs: Iterable[Need]) -> tuple[Need, ...]:
        """The needs that no grant meets, each with only its missing columns."""
        grants = self.of(user)
        return tuple(lacking for need in needs if (lacking := _lacking(need, grants)) is not None)


def _lacking(need: Need, grants: Iterable[Grant]) -> Need | None:
    concerned = [grant for grant in grants if grant.concerns(need)]
    if any(not grant.columns for grant in concerned):
        return None
    granted = frozenset[str]().union(*(grant.columns for grant in concerned))
    if not need.columns:
        is_met = need.privilege is Privilege.SELECT and bool(granted)
        return None if is_met else need
    lacking = tuple(column for column in need.columns if not _is_granted(column, granted))
    return replace(need, columns=lacking) if lacking else None


def field_name(column: str, path: Sequence[str] = ()) -> str:
    """A field's path as text: ``p.addr.city``. A name with a dot or back-tick is in back-ticks."""
    return ".".join(
        f"`{part.replace('`', '``')}`" if "." in part or "`" in part else part
        for part in (column, *path)
    )


def without_parts(names: set[str]) -> tuple[str, ...]:
    """The names in alphabetical order, without fields of another name among them."""
    return tuple(sorted(name for name in names if not names.intersection(_wholes(name))))


def _wholes(name: str) -> Iterator[str]:
    """The column around a field, and then the fields around it, the outermost field first."""
    parts = _PARTS.findall(name) if "." in name else ()
    return (".".join(parts[:size]) for size in range(1, len(parts)))


def _is_granted(name: str, granted: frozenset[str]) -> bool:
    """Whether a field is granted, or a column or field that contains it.

    A column with a dot in its name may be granted without back-ticks.
    """
    if name in granted or not granted.isdisjoint(_wholes(name)):
        return True
    is_quoted_column = name[:1] == "`" and _PARTS.fullmatch(name) is not None
    return is_quoted_column and name[1:-1].replace("``", "`") in granted


def read_grants(value: object) -> Grants:
    """The grants in a JSON value.

    The form is ``{"roles": {role: [user]}, "grants": [{"user" or "role", "privileges", "on", "columns"}]}``.

    ``on`` is a table's name, ``namespace.*`` or ``*``; ``privileges`` may have ``ALL``. A name outside
    the default catalog begins with its catalog: ``prod:sales.*``. ``prod:*`` is the whole catalog
    ``prod``, and ``:*`` is the whole default catalog.

    Raises:
        MalformedGrants: the value has another form.
    """
    if not isinstance(value, dict) or not set(value) <= {"roles", "grants"}:
        raise MalformedGrants("expected an object with 'roles' and 'grants'")
    roles = value.get("roles", {})
    if not isinstance(roles, dict) or not all(map(_is_texts, roles.values())):
        raise MalformedGrants("roles: expected an object: role to a list of users")
    grants = value.get("grants", [])
    if not isinstance(grants, list):
        raise MalformedGrants("grants: expected a list")
    found: dict[str, dict[str, tuple[Grant, ...]]] = {"user": {}, "role": {}}
    for number, stated in enumerate(grants):
        where = f"grants.{number}"
        kind, name = _grantee(stated, where)
        found[kind][name] = (*found[kind].get(name, ()), _grant(stated, where))
    return Grants(
        MappingProxyType(found["user"]),
        MappingProxyType(found["role"]),
        MappingProxyType({role: frozenset(users) for role, users in roles.items()}),
    )


def _grantee(stated: Any, where: str) -> tuple[str, str]:
    allowed = {"user", "role", "privileges", "on", "columns"}
    if not isinstance(stated, dict) or not set(stated) <= allowed:
        raise MalformedGrants(f"{where}: expected an object of {', '.join(sorted(allowed))}")
    kinds = [kind for kind in ("user", "role") if isinstance(stated.get(kind), str)]
    if len(kinds) != 1:
        raise MalformedGrants(f"{where}: expected one of 'user' and 'role', a text")
    return kinds[0], stated[kinds[0]]


def _grant(stated: Mapping[str, Any], where: str) -> Grant:
    names, on = stated.get("privileges"), stated.get("on")
    columns = stated.get("columns", [])
    if not _is_texts(names) or not isinstance(on, str) or not _is_texts(columns):
        raise MalformedGrants(
            f"{where}: expected 'privileges' and 'columns' to be lists of texts, 'on' a text"
        )
    catalog, namespace, relation = _concerned(on, where)
    lowered = frozenset(column.lower() for column in columns)
    return Grant(_privileges(names, where), namespace, relation, lowered, catalog)


def _concerned(on: str, where: str) -> tuple[str | None, Namespace | None, RelationName | None]:
    """The catalog, the namespace and the relation that ``on`` names; all None for everything."""
    try:
        if on == "*":
            return None, None, None
        catalog, colon, rest = on.partition(":")
        if colon and rest == "*" and (not catalog or is_catalog_name(catalog)):
            return catalog, None, None
        if on.endswith(".*"):
            return None, RelationName.parse(f"{on[:-1]}any").place, None
        return None, None, RelationName.parse(on)
    except CatalogError as error:
        raise MalformedGrants(f"{where}.on: {error}") from None


def _privileges(names: Any, where: str) -> frozenset[Privilege]:
    found: set[Privilege] = set()
    for name in names:
        if name.upper() == "ALL":
            found.update(Privilege)
        elif name.upper() in Privilege.__members__:
            found.add(Privilege[name.upper()])
        else:
            known = ", ".join(("ALL", *Privilege.__members__))
            raise MalformedGrants(f"{where}: unknown privilege {name!r}; they are {known}")
    return frozenset(found)


def _is_texts(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)
