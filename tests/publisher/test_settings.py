from pathlib import Path

import pytest

from catalog.column_types import STRING
from publisher.assembly import build_options
from publisher.settings import SettingsError, load_settings
from translation.interface import Returns, SparkUdfRule
from translation.udf_plugins import PluginResolver

MINIMAL = '[artifacts]\nprefix = "acme-schema"\n[catalog]\nkind = "hive"\n'


def settings_file(directory: Path, text: str) -> Path:
    path = directory / "schema-publisher.toml"
    path.write_text(text)
    return path


def test_a_minimal_file_is_enough(tmp_path: Path) -> None:
    settings = load_settings(settings_file(tmp_path, MINIMAL))

    assert settings.artifacts.prefix == "acme-schema"
    assert settings.catalog[0].kind == "hive"
    assert settings.index.kind == "static"


def test_the_environment_wins_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHEMA_PUBLISHER__ENGINE__DEBOUNCE_SECONDS", "0.5")

    settings = load_settings(settings_file(tmp_path, MINIMAL))

    assert settings.engine.debounce_seconds == 0.5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MINIMAL + "[engine]\ndebounce = 3\n", "engine.debounce"),
        (MINIMAL + '[engine]\ndebounce_seconds = "soon"\n', "engine.debounce_seconds"),
        ('[catalog]\nkind = "hive"\n', "artifacts ("),
        ('[artifacts]\nprefix = "Acme"\n[catalog]\nkind = "hive"\n', "artifacts.prefix"),
        ('[artifacts]\nprefix = "acme"\n[catalog]\nkind = "oracle"\n', "catalog.0"),
        (MINIMAL.replace("[catalog]", 'exclude = ["staging"]\n[catalog]'), "artifacts.exclude"),
        (MINIMAL + "[surprise]\nkey = 1\n", "surprise"),
        (MINIMAL + '[translation.udfs]\n"a.B" = { returns = "int", returns_argument = 0 }\n', "a.B"),
        (MINIMAL + '[translation]\nudf_plugins = ["import os"]\n', "translation.udf_plugins"),
        (MINIMAL + '[[translation.spark_udfs]]\nclass = "*"\nspark_class = "{2}"\n', "{2}"),
        (MINIMAL + '[[translation.spark_udfs]]\nclass = "*"\nspark = "x"\n', "class, dependency"),
        ("[artifacts\n", "is not TOML"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named_with_the_place_it_was_read(
    tmp_path: Path, text: str, expected: str
) -> None:
    path = settings_file(tmp_path, text)

    with pytest.raises(SettingsError) as raised:
        load_settings(path)

    assert expected in str(raised.value)
    assert str(path) in str(raised.value)


def test_an_unknown_key_is_reported_with_those_that_are_allowed(tmp_path: Path) -> None:
    path = settings_file(tmp_path, MINIMAL + "[http]\nprot = 1\n")

    with pytest.raises(SettingsError, match=r"allowed here: enabled, host, port"):
        load_settings(path)


def test_an_environment_variable_of_no_section_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHEMA_PUBLISHER__ENGIN__WORKERS", "3")

    with pytest.raises(SettingsError, match="SCHEMA_PUBLISHER__ENGIN__WORKERS"):
        load_settings(settings_file(tmp_path, MINIMAL))


def test_an_environment_variable_of_a_wrong_key_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHEMA_PUBLISHER__ENGINE__WORKER", "3")

    with pytest.raises(SettingsError, match=r"engine\.worker"):
        load_settings(settings_file(tmp_path, MINIMAL))


def test_a_password_is_never_shown(tmp_path: Path) -> None:
    text = MINIMAL + (
        '[index]\nkind = "twine"\nrepository_url = "http://i/"\nsimple_url = "http://i/simple/"\n'
        'password = "tell-nobody"\n'
    )

    settings = load_settings(settings_file(tmp_path, text))

    assert "tell-nobody" not in repr(settings)
    assert settings.index.kind == "twine"
    assert settings.index.secret() == "tell-nobody"


def test_a_missing_file_is_an_error_when_it_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no such file"):
        load_settings(tmp_path / "absent.toml")


UDFS = """
[translation]
udf_plugins = ["json:loads"]
[translation.udfs]
"com.acme.Up" = { returns = "string" }
[[translation.spark_udfs]]
class = "*.hive.*"
dependency = "*:*-hive:*"
spark_class = "{1}.spark.{2}"
spark_dependency = "{1}:{2}-spark:{3}"
"""


def test_udfs_plugins_and_rules_become_options(tmp_path: Path) -> None:
    options = build_options(load_settings(settings_file(tmp_path, MINIMAL + UDFS)))

    assert options.udfs == {"com.acme.Up": Returns(STRING)}
    assert options.udf_resolver == PluginResolver(("json:loads",))
    assert options.spark_udfs == (
        SparkUdfRule("*.hive.*", "*:*-hive:*", "{1}.spark.{2}", "{1}:{2}-spark:{3}"),
    )


def test_a_plugin_that_is_not_installed_stops_the_start(tmp_path: Path) -> None:
    text = MINIMAL + '[translation]\nudf_plugins = ["no_such_module_anywhere:f"]\n'
    settings = load_settings(settings_file(tmp_path, text))

    with pytest.raises(SettingsError, match=r"translation\.udf_plugins: .*no_such_module_anywhere"):
        build_options(settings)


def test_an_empty_list_of_plugins_asks_none(tmp_path: Path) -> None:
    text = MINIMAL + "[translation]\nudf_plugins = []\n"

    assert build_options(load_settings(settings_file(tmp_path, text))).udf_resolver is None
