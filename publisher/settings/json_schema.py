"""The settings file as a JSON Schema (2020-12), for editors and other checkers of files.

It knows keys, types, ranges and meanings. It accepts mistakes that only the program can find, such
as two keys that exclude each other or an invalid pattern.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema

from publisher.settings.meanings import meanings, without_links
from publisher.settings.sections import Settings


def settings_schema() -> Mapping[str, Any]:
    schema = Settings.model_json_schema(schema_generator=_OfFile)
    found = schema["properties"]
    # The one catalog is a table; event sources may be a table or several.
    found["catalog"] = found["catalog"]["items"] | _without(found["catalog"], "type", "items")
    events = found["events"]
    of_one = events.pop("items")
    found["events"] = _without(events, "type") | {
        "anyOf": [{"type": "array", "items": of_one}, of_one]
    }
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "title": "schema-publisher.toml",
        **schema,
    }


def section_schema(section: type[BaseModel]) -> Mapping[str, Any]:
    """The schema of one section; inner sections are references."""
    schema: Mapping[str, Any] = section.model_json_schema(schema_generator=_OfFile)
    return schema


class _OfFile(GenerateJsonSchema):
    """Describes TOML: there is no null, and each key has its meaning."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 (pydantic names the argument)
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def generate(
        self, schema: core_schema.CoreSchema, mode: JsonSchemaMode = "validation"
    ) -> JsonSchemaValue:
        found = super().generate(schema, mode)
        definitions = found.get("$defs", {})
        # The titles and docstrings of classes are for readers of the program.
        plain = {key: _without(each, "title", "description") for key, each in definitions.items()}
        return found | ({"$defs": plain} if plain else {})

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        # OpenAPI defines "discriminator"; here each kind names itself.
        return _without(super().tagged_union_schema(schema), "discriminator")

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        section: type[BaseModel] = schema["cls"]
        found = super().model_schema(schema)
        said = meanings(section)
        properties = found.get("properties", {})
        for name, field in section.model_fields.items():
            shown = properties[field.alias or name]
            # TOML has no null for an absent key, and an inner section has separate defaults.
            if isinstance(shown.get("default", ""), dict | None):
                del shown["default"]
            shown["description"] = without_links(said.get(name, ""))
        return _without(found, "title", "description")


def _without(schema: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in keys}
