"""The JSON Schema of the settings accepts what the program accepts; editors can mark mistakes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, SecretStr, ValidationError

from docs.reference import sections
from publisher.settings import Settings
from publisher.settings.json_schema import section_schema, settings_schema
from publisher.settings.meanings import without_links
from publisher.settings.secrets import SecretUrl
from publisher.settings.starting_file import CatalogKind, starting_file

ROOT = Path(__file__).parents[3]
EXAMPLES = [
    pytest.param(block, id=f"{document}-{number}")
    for document in ("README.md", "docs/configuration.md", "docs/quick-start.md")
    for number, block in enumerate(
        re.findall(r"(?ms)^```toml\n(.*?)^```$", (ROOT / document).read_text(encoding="utf-8"))
    )
]
START = 'artifacts.prefix = "acme-schema"\ncatalog.kind = "ddl"\n'


def problems(text: str) -> list[str]:
    """Where the schema finds something wrong; the places within alternatives are not named."""
    found = Draft202012Validator(settings_schema()).iter_errors(tomllib.loads(text))
    return sorted(".".join(map(str, each.absolute_path)) for each in found)


def is_taken(text: str) -> bool:
    try:
        Settings.model_validate(tomllib.loads(text))
    except ValidationError:
        return False
    return True


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(settings_schema())


@pytest.mark.parametrize("text", EXAMPLES)
def test_documented_files_are_valid(text: str) -> None:
    assert problems(text) == []


@pytest.mark.parametrize("kind", ["hive", "ddl", "spark"])
def test_the_file_to_start_from_is_valid(kind: CatalogKind) -> None:
    assert problems(starting_file("acme-schema", kind, "thrift://127.0.0.1:9083")) == []


@pytest.mark.parametrize(
    "text",
    [
        '[events]\nkind = "notification-log"\nuri = "thrift://127.0.0.1:9083"\n',
        '[[events]]\nkind = "kafka"\nbootstrap_servers = "a:1"\ntopic = "t"\n',
        '[index]\nkind = "static"\n[index.retention]\nkeep_latest_per_major = 2\n',
        "[engine]\ndebounce_seconds = 0\nmax_deletion_share = 1\n",
        '[translation.udfs]\n"com.example.F" = { returns_argument = 0 }\n',
        '[[translation.spark_udfs]]\nclass = "a.*"\nspark_class = "b.{1}"\n',
        '[snapshot.conf]\n"spark.master" = "local[2]"\n',
    ],
)
def test_what_the_program_takes_is_valid(text: str) -> None:
    assert is_taken(START + text)

    assert problems(START + text) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[engine]\nworker = 3\n", "engine"),
        ("[engine]\nworkers = 65\n", "engine.workers"),
        ('[engine]\nworkers = "two"\n', "engine.workers"),
        ("[snapshot]\ninterval_seconds = 0\n", "snapshot.interval_seconds"),
        ('[translation]\ncasing = "upper"\n', "translation.casing"),
        ('[translation]\ntimestamp_unit = "nanos"\n', "translation.timestamp_unit"),
        ('[translation]\nudfs.F = { yields = "int" }\n', "translation.udfs.F"),
        ('[index]\nkind = "twin"\n', "index"),
        ('[index]\nkind = "static"\nusername = "of another kind"\n', "index"),
        ('[[events]]\nkind = "kafka"\ntopic = "without servers"\n', "events"),
        ("[http]\nport = 65536\n", "http.port"),
        ("[https]\nport = 1\n", ""),
    ],
)
def test_what_is_wrong_is_marked_where_it_stands(text: str, place: str) -> None:
    assert not is_taken(START + text)

    assert problems(START + text) == [place]


def test_what_is_mandatory_is_missed() -> None:
    assert problems("[artifacts]\nimmutable = true\n") == ["", "artifacts"]


@pytest.mark.parametrize(
    "model",
    sorted({model for models in sections().values() for model in models}, key=str),
)
def test_secrets_and_nothing_else_are_marked_as_such(model: type[BaseModel]) -> None:
    secret = {name for name, field in model.model_fields.items() if is_secret(field.annotation)}

    properties: Mapping[str, Any] = section_schema(model)["properties"]

    assert {key for key, shape in properties.items() if shape.get("writeOnly")} == secret


def is_secret(annotation: Any) -> bool:
    return annotation in {SecretStr | None, SecretUrl | None}


def test_each_key_says_what_it_means_without_links_that_an_editor_cannot_follow() -> None:
    shape = settings_schema()["$defs"]["Artifacts"]["properties"]["signing_key_file"]

    assert shape["description"].endswith("See operations (docs/operations.md#sign-packages).")


def test_a_link_becomes_its_words_and_its_target() -> None:
    text = "See [a page](../SECURITY.md#x), [one](y.md) and [another](https://example.com/z)."

    assert without_links(text) == (
        "See a page (SECURITY.md#x), one (docs/y.md) and another (https://example.com/z)."
    )
