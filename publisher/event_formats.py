"""Formats of events that name tables: the places of an event's parts, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

Paths = tuple[str, ...]
"""Alternatives in the syntax of ``json_paths``: the first that exists counts."""


@dataclass(frozen=True, slots=True)
class Places:
    """The places of an event's parts; an empty tuple means that the event has no such part.

    A name is either at ``full_name``, or at ``namespace`` and ``name``. ``other_…`` is the second
    name of a rename, old or new; without ``other_namespace`` it is in the same namespace.

    Attributes:
        events: the place of the events in a message that is an object; by default the object is the
            event.
        time: text of ISO 8601, or a number of seconds, milliseconds or less since the epoch.
        catalog: the catalog's name.
        namespace: a text that is split, or a list of levels.
        name: a text or, for several relations, a list or several texts.
        full_name: like ``namespace``, with the relation's name as its last level.
    """

    events: Paths = ()
    type: Paths = ()
    id: Paths = ()
    time: Paths = ()
    catalog: Paths = ()
    namespace: Paths = ()
    name: Paths = ()
    full_name: Paths = ()
    other_namespace: Paths = ()
    other_name: Paths = ()
    other_full_name: Paths = ()


@dataclass(frozen=True, slots=True)
class EventFormat:
    """How to read an event.

    Types are names in which ``*`` stands for any text. An event counts if its type is in ``types``,
    or if ``types`` is empty. It never counts if its type is in ``ignored_types``.

    Attributes:
        separator: splits texts of several levels; "" splits nothing.
        namespace_types: events of these types concern a whole namespace.
        full_names_have_catalog: whether the first level of full names is the catalog.
    """

    places: Places = field(default_factory=Places)
    separator: str = "."
    types: tuple[str, ...] = ()
    ignored_types: tuple[str, ...] = ()
    namespace_types: tuple[str, ...] = ()
    full_names_have_catalog: bool = False


_CLOUD_EVENT: Final = Places(type=("$.type",), id=("$.id",), time=("$.time",))

_GLUE: Final = EventFormat(
    Places(
        type=("$.detail.typeOfChange", "$.data.detail.typeOfChange"),
        id=("$.id",),
        time=("$.time",),
        namespace=("$.detail.databaseName", "$.data.detail.databaseName"),
        name=(
            "$.detail.changedTables[*]",
            "$.detail.tableName",
            "$.data.detail.changedTables[*]",
            "$.data.detail.tableName",
        ),
    ),
    # A database of Glue has one level.
    separator="",
    types=("*Table", "*Database"),
    namespace_types=("*Database",),
)

_POLARIS: Final = EventFormat(
    Places(
        type=("$.event_type", "$.data.event_type"),
        id=("$.event_id", "$.data.event_id"),
        time=("$.timestamp", "$.data.timestamp"),
        catalog=("$.catalog_name", "$.data.catalog_name"),
        namespace=("$.namespace", "$.data.namespace"),
        name=("$.table_name", "$.view_name", "$.data.table_name", "$.data.view_name"),
        full_name=("$.destination", "$.data.destination"),
        # A CloudEvent has another source in its envelope.
        other_full_name=("$.data.source", "$.source"),
    ),
    types=(
        *(f"AFTER_{did}_TABLE" for did in ("CREATE", "UPDATE", "DROP", "RENAME", "REGISTER")),
        *(f"AFTER_{did}_VIEW" for did in ("CREATE", "REPLACE", "DROP", "RENAME", "REGISTER")),
        "AFTER_*_NAMESPACE",
    ),
    ignored_types=("AFTER_LOAD_*", "AFTER_LIST_*", "AFTER_CHECK_*"),
    namespace_types=("AFTER_*_NAMESPACE",),
)

_LAKEKEEPER: Final = EventFormat(
    Places(
        type=("$.type",),
        id=("$.id",),
        time=("$.time",),
        catalog=("$['warehouse-id']",),
        namespace=("$.namespace",),
        name=("$.name",),
        # The event has the old name; the new one is in the request.
        other_namespace=("$.data.destination.namespace",),
        other_name=("$.data.destination.name",),
    ),
    # As in addresses of Iceberg's REST protocol.
    separator="\x1f",
    types=("*Table", "*View", "undropTabulars"),
)

_UNITY: Final = EventFormat(
    Places(
        type=("$.actionName", "$.action_name"),
        id=("$.requestId", "$.event_id"),
        time=("$.timestamp", "$.event_time"),
        catalog=("$.requestParams.catalog_name", "$.request_params.catalog_name"),
        namespace=("$.requestParams.schema_name", "$.request_params.schema_name"),
        name=("$.requestParams.name", "$.request_params.name"),
        full_name=("$.requestParams.full_name_arg", "$.request_params.full_name_arg"),
    ),
    types=("createTable", "updateTables", "updateTable", "deleteTable"),
    full_names_have_catalog=True,
)

FORMATS: Final[Mapping[str, EventFormat]] = MappingProxyType(
    {
        "glue": _GLUE,
        "polaris": _POLARIS,
        "lakekeeper": _LAKEKEEPER,
        "unity": _UNITY,
        "custom": EventFormat(_CLOUD_EVENT),
    }
)
"""glue: EventBridge; polaris, lakekeeper: Kafka; unity: audit logs; custom: a CloudEvent."""
