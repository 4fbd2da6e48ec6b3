"""The settings file as a JSON Schema (2020-12), for editors and other checkers of files.

It knows keys, types, ranges and meanings. What only the program can check, such as two keys that do not
go together or a pattern of relations, it lets pass.
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
    # As the program takes them: the one catalog is a table; event sources may be one or several.
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
    """Of one section; other sections within it are references."""
    schema: Mapping[str, Any] = section.model_json_schema(schema_generator=_OfFile)
    return schema


class _OfFile(GenerateJsonSchema):
    """Says what TOML can: there is no null, and each key has its meaning."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 (pydantic names the argument)
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def generate(
        self, schema: core_schema.CoreSchema, mode: JsonSchemaMode = "validation"
    ) -> JsonSchemaValue:
        found = super().generate(schema, mode)
        definitions = found.get("$defs", {})
        # The titles and docstrings of classes are for those who read the program.
        plain = {key: _without(each, "title", "description") for key, each in definitions.items()}
        return found | ({"$defs": plain} if plain else {})

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        # "discriminator" is OpenAPI's; each kind names itself.
        return _without(super().tagged_union_schema(schema), "discriminator")

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        section: type[BaseModel] = schema["cls"]
        found = super().model_schema(schema)
        said = meanings(section)
        properties = found.get("properties", {})
        for name, field in section.model_fields.items():
            shown = properties[field.alias or name]
            # An absent key is no null, and a section within has defaults of its own.
            if isinstance(shown.get("default", ""), dict | None):
                del shown["default"]
            shown["description"] = without_links(said.get(name, ""))
        return _without(found, "title", "description")


def _without(schema: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in keys}
