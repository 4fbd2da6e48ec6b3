"""The Compose file: the specification's own schema, and what the specification cannot know."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from publisher.settings import load_settings
from tests.deploy.judges import DEPLOY

FOLDER = DEPLOY / "compose"
SCHEMA = Path(__file__).with_name("data") / "compose-spec.json"


@pytest.fixture(scope="module")
def compose() -> Any:
    return yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))


def test_the_file_is_as_the_compose_specification_says(compose: Any) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    # YAML's merge keys are resolved; extensions may hold anything.
    given = {key: value for key, value in compose.items() if not key.startswith("x-")}

    jsonschema.Draft202012Validator(schema).validate(given)


def test_the_schema_refuses_a_misspelt_key(compose: Any) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    wrong = {"services": {"one": {"image": "x", "read_onyl": True}}}

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(wrong)


def test_the_service_is_confined_and_reached_from_this_machine_alone(compose: Any) -> None:
    service = compose["services"]["schema-publisher"]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not service["user"].startswith("0")
    assert service["ports"]
    for each in compose["services"].values():
        assert all(port.startswith("127.0.0.1:") for port in each.get("ports", ()))
        assert "privileged" not in each
        assert not [volume for volume in each.get("volumes", ()) if "docker.sock" in volume]


def test_other_servers_start_only_when_a_profile_names_them(compose: Any) -> None:
    started = [name for name, each in compose["services"].items() if not each.get("profiles")]

    assert started == ["schema-publisher"]


def test_volumes_and_secrets_are_declared_and_mounted_files_exist(compose: Any) -> None:
    for each in compose["services"].values():
        assert set(each.get("secrets", ())) <= compose["secrets"].keys()
        for volume in each.get("volumes", ()):
            source = volume.split(":")[0]
            assert source in compose["volumes"] or (FOLDER / source).exists()
    build = compose["services"]["schema-publisher"]["build"]
    root = FOLDER / build["context"]
    assert (root / build["dockerfile"]).is_file()
    declared = (root / build["dockerfile"]).read_text(encoding="utf-8")
    assert all(f"ARG {name}\n" in declared for name in build["args"])


def test_the_settings_load_with_the_environment_of_the_image_and_of_compose(
    compose: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    image = (DEPLOY / "image" / "Containerfile").read_text(encoding="utf-8")
    inside = dict(re.findall(r"(SCHEMA_PUBLISHER__\w+)=(\S+)", image))
    for name, value in {**inside, **compose["services"]["schema-publisher"]["environment"]}.items():
        monkeypatch.setenv(name, value)

    loaded = load_settings(FOLDER / "settings" / "schema-publisher.toml")

    assert str(loaded.state.file) == "/var/lib/schema-publisher/state.db"
    assert (loaded.http.host, loaded.http.port, loaded.http.operations_port) == (
        "0.0.0.0",
        8765,
        8766,
    )
    assert str(loaded.http.operations_token_file) == "/run/secrets/operations-token"
