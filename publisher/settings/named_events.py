"""The settings of events that only name tables: their format, and the catalog that they concern."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias, TypeVar

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema, model_validator

from publisher.event_formats import FORMATS, EventFormat, Places
from publisher.settings.section import Section

T = TypeVar("T")


def _one_or_more(value: object) -> object:
    return (value,) if isinstance(value, str) else value


def _are_paths(texts: tuple[str, ...]) -> tuple[str, ...]:
    # The parser of paths is slow to import, and most deployments have no such events.
    from publisher.json_paths import Path

    Path.of(*texts)
    return texts


EventPath: TypeAlias = Annotated[
    tuple[str, ...],
    BeforeValidator(_one_or_more),
    AfterValidator(_are_paths),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]


class EventMapping(Section):
    """Where an event has its parts, and which events count; each key replaces the format's value."""

    events: EventPath | None = None
    """The path to the events in a message that is an object, such as `"$.Records[*].body"`. A text at
    this path is read as JSON. By default the message itself is the event, or an array of events.
    """

    type: EventPath | None = None
    """The event's type."""

    id: EventPath | None = None
    """The event's id, for error messages."""

    time: EventPath | None = None
    """When it happened: ISO 8601, or a number since the epoch."""

    catalog: EventPath | None = None
    """The catalog's name, for `only_catalog`."""

    namespace: EventPath | None = None
    """The relation's namespace: a text, which `separator` splits, or a list of levels."""

    name: EventPath | None = None
    """The relation's name, or a list of names."""

    full_name: EventPath | None = None
    """Namespace and name in one: a text, which `separator` splits, or a list."""

    other_namespace: EventPath | None = None
    """The other namespace of a rename. Without it, a rename stays in its namespace."""

    other_name: EventPath | None = None
    """The other name of a rename, old or new. Both are read again."""

    other_full_name: EventPath | None = None
    """The other full name of a rename."""

    separator: str | None = None
    """Splits texts of several levels; `""` splits nothing. Not set: the format's separator, which is
    `"."` for `"custom"`.
    """

    types: tuple[str, ...] | None = None
    """The types of events that count; `*` stands for any text, as in `"AFTER_*_TABLE"`. Not set: the
    format's types; for `"custom"` all types.
    """

    ignored_types: tuple[str, ...] | None = None
    """The types of events that never count."""

    namespace_types: tuple[str, ...] | None = None
    """The types of events that concern a whole namespace."""

    full_names_have_catalog: bool | None = None
    """Whether the first level of full names is the catalog."""

    def over(self, format_: EventFormat) -> EventFormat:
        """The format, with the settings of this section in place of its defaults."""
        old = format_.places
        places = Places(
            events=_given(self.events, old.events),
            type=_given(self.type, old.type),
            id=_given(self.id, old.id),
            time=_given(self.time, old.time),
            catalog=_given(self.catalog, old.catalog),
            namespace=_given(self.namespace, old.namespace),
            name=_given(self.name, old.name),
            full_name=_given(self.full_name, old.full_name),
            other_namespace=_given(self.other_namespace, old.other_namespace),
            other_name=_given(self.other_name, old.other_name),
            other_full_name=_given(self.other_full_name, old.other_full_name),
        )
        return EventFormat(
            places,
            _given(self.separator, format_.separator),
            _given(self.types, format_.types),
            _given(self.ignored_types, format_.ignored_types),
            _given(self.namespace_types, format_.namespace_types),
            _given(self.full_names_have_catalog, format_.full_names_have_catalog),
        )


def _given(chosen: T | None, otherwise: T) -> T:
    return otherwise if chosen is None else chosen


NamedFormat: TypeAlias = Literal["glue", "polaris", "lakekeeper", "unity", "custom"]


class NamedEventsSettings(Section):
    """Base of the sources of events that name tables."""

    format: NamedFormat = "custom"
    """The format of the events: `"glue"` (EventBridge), `"polaris"`, `"lakekeeper"`, `"unity"` (audit
    logs), or `"custom"`, a CloudEvent whose names `mapping` finds. See
    [events](operations.md#events-that-name-tables)."""

    catalog: str = ""
    """The `name` of the catalog that the events concern. Not set: the default catalog."""

    only_catalog: str = ""
    """The name that the events have for this catalog, as `"prod"`. Events of other catalogs are
    ignored. Not set: all events count."""

    mapping: EventMapping = EventMapping()
    """Changes of the format: `[events.mapping]`."""

    def event_format(self) -> EventFormat:
        """The format with the changes of this section."""
        return self.mapping.over(FORMATS[self.format])

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if self.format not in FORMATS:
            return self
        chosen = self.event_format()
        places = chosen.places
        has_types = chosen.types or chosen.ignored_types or chosen.namespace_types
        if not (places.full_name or (places.namespace and places.name)):
            raise ValueError("set mapping.full_name, or both mapping.namespace and mapping.name")
        if has_types and not places.type:
            raise ValueError("set mapping.type: without it, types of events cannot be told apart")
        if self.only_catalog and not (places.catalog or chosen.full_names_have_catalog):
            raise ValueError(
                "only_catalog needs mapping.catalog, or mapping.full_names_have_catalog = true"
            )
        return self
