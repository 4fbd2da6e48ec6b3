from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import KeyringLocked

from lakeschema.catalog.column_types import STRING
from lakeschema.catalog.metastore_security import Sasl, Security, Tls
from lakeschema.translation.functions.udf_plugins import PluginResolver
from lakeschema.translation.model.interface import Returns, SparkUdfRule
from publisher.daemon.adapters import build_options
from publisher.daemon.assembly import build_retention
from publisher.publishing.retention import Retention
from publisher.redaction import SECRETS
from publisher.settings import (
    HiveCatalogSettings,
    KafkaSettings,
    SettingsError,
    TwineIndexSettings,
    load_settings,
)

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


def test_an_unknown_key_is_reported_with_those_that_are_allowed(tmp_path: Path) -> None:
    path = settings_file(tmp_path, MINIMAL + "[http]\nprot = 1\n")

    with pytest.raises(
        SettingsError, match=r"allowed here: enabled, host, .*, public_url; did you mean port\?"
    ):
        load_settings(path)


TWINE = MINIMAL + (
    '[index]\nkind = "twine"\nrepository_url = "https://i/"\nsimple_url = "https://i/simple/"\n'
)


def twine_settings(directory: Path, text: str) -> TwineIndexSettings:
    index = load_settings(settings_file(directory, text)).index
    assert isinstance(index, TwineIndexSettings)
    return index


def test_a_password_is_never_shown(tmp_path: Path) -> None:
    index = twine_settings(tmp_path, TWINE + 'password = "tell-nobody"\n')

    assert "tell-nobody" not in repr(index)
    assert index.secret() == "tell-nobody"


def test_a_password_in_an_address_is_never_shown(tmp_path: Path) -> None:
    index = twine_settings(tmp_path, TWINE.replace("https://i/", "https://me:tell-nobody@i/"))

    assert "tell-nobody" not in repr(index)


@pytest.mark.parametrize(
    "address",
    [
        "i/simple",
        "ftp://me:tell-nobody@i/",
        "https://",
        "http://[",
        "http://i:tell-nobody/",
        "http://a b/",
    ],
)
def test_an_address_that_is_not_of_http_is_reported_without_showing_it(
    tmp_path: Path, address: str
) -> None:
    with pytest.raises(SettingsError, match=r"index\.repository_url") as raised:
        twine_settings(tmp_path, TWINE.replace('"https://i/"', f'"{address}"'))

    assert "tell-nobody" not in str(raised.value)


def test_a_password_file_is_read_anew(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    index = twine_settings(tmp_path, TWINE + f'password_file = "{secret}"\n')
    secret.write_text("first\n")
    before = index.secret()

    secret.write_text("second\n")

    assert (before, index.secret()) == ("first", "second")


@pytest.mark.parametrize("content", [None, b"\xff\xfe-tell-nobody"])
def test_a_password_file_that_cannot_be_read_is_named_and_not_shown(
    tmp_path: Path, content: bytes | None
) -> None:
    secret = tmp_path / "password"
    if content is not None:
        secret.write_bytes(content)
    index = twine_settings(tmp_path, TWINE + f'password_file = "{secret}"\n')

    with pytest.raises(SettingsError, match=r"index\.password_file .*password") as raised:
        index.secret()

    assert "tell-nobody" not in str(raised.value)


@pytest.mark.parametrize(
    "credentials",
    ['password = "tell-nobody"', 'password_file = "/run/secret"', 'username = "me"'],
)
@pytest.mark.parametrize("setting", ["repository_url", "simple_url"])
def test_a_password_does_not_cross_a_network_in_plain_text(
    tmp_path: Path, setting: str, credentials: str
) -> None:
    text = TWINE.replace(f'{setting} = "https', f'{setting} = "http') + f"{credentials}\n"

    with pytest.raises(SettingsError, match=f"{setting} would send the password") as raised:
        twine_settings(tmp_path, text)

    assert "tell-nobody" not in str(raised.value)
    assert twine_settings(tmp_path, text + "allow_insecure = true\n").allow_insecure


def test_nor_does_a_password_in_an_address(tmp_path: Path) -> None:
    text = TWINE.replace("https://i/", "http://me:tell-nobody@i/")

    with pytest.raises(SettingsError, match="would send the password") as raised:
        twine_settings(tmp_path, text)

    assert "tell-nobody" not in str(raised.value)


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost", "[::1]:80"])
def test_a_password_for_this_machine_may_be_plain(tmp_path: Path, host: str) -> None:
    twine_settings(tmp_path, TWINE.replace("https://i/", f"http://{host}/") + 'password = "x"\n')


def test_no_secret_is_shown_whatever_section_it_stands_in(tmp_path: Path) -> None:
    text = MINIMAL.replace('kind = "hive"', 'kind = "spark"\nconf = {"a.secret" = "tell-nobody-1"}')
    settings = load_settings(
        settings_file(
            tmp_path,
            text
            + '[[events]]\nkind = "kafka"\nbootstrap_servers = "h"\ntopic = "t"\n'
            + 'options = {sasl_plain_password = "tell-nobody-2"}\n'
            + '[snapshot.conf]\n"spark.ssl.keyPassword" = "tell-nobody-3"\n'
            + '[index]\nkind = "twine"\nrepository_url = "https://me:tell%2Dnobody-4@i/"\n'
            + 'simple_url = "https://i/"\nusername = "tell-nobody-key"\npassword = "tell-nobody-5"\n',
        )
    )

    assert "nobody" not in repr(settings)
    for number in range(1, 6):
        assert SECRETS.redact(f"got tell-nobody-{number}!") == "got ***!"


def test_an_operations_token_that_could_be_guessed_is_refused(tmp_path: Path) -> None:
    token = tmp_path / "token"
    text = MINIMAL + f'[http]\noperations_token_file = "{token}"\n'
    http = load_settings(settings_file(tmp_path, text)).http
    token.write_text("short\n")

    with pytest.raises(SettingsError, match="expected at least 16 characters") as raised:
        http.operations_token()

    assert "short" not in str(raised.value)
    token.write_text("long enough for a token\n")
    assert http.operations_token() == "long enough for a token"


@pytest.mark.parametrize(
    "url", ["packages.example", "https://a/$(reboot)", 'https://a" --x', "https://a b", "ftp://a/"]
)
def test_a_public_url_that_a_shell_would_obey_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingsError, match=r"http\.public_url"):
        load_settings(settings_file(tmp_path, MINIMAL + f"[http]\npublic_url = '{url}'\n"))


class MemoryKeyring(KeyringBackend):
    """A keyring that is open, or one that stays shut."""

    priority = 1

    def __init__(self, *, is_open: bool = True) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # keyring's classes are untyped
        self._is_open = is_open
        self._passwords: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        if not self._is_open:
            raise KeyringLocked("tell-nobody")
        return self._passwords.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._passwords[service, username] = password


@contextmanager
def keyring_of_the_machine(backend: KeyringBackend) -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(backend)
    try:
        yield
    finally:
        keyring.set_keyring(before)


def test_a_password_is_looked_up_in_the_keyring_under_the_address(tmp_path: Path) -> None:
    index = twine_settings(tmp_path, TWINE + 'username = "me"\n')
    with keyring_of_the_machine(MemoryKeyring()):
        before = index.secret()
        keyring.set_password("https://i/", "me", "tell-nobody")

        assert (before, index.secret()) == (None, "tell-nobody")


def test_a_machine_without_a_keyring_has_no_password(tmp_path: Path) -> None:
    index = twine_settings(tmp_path, TWINE + 'username = "me"\n')

    with keyring_of_the_machine(NoKeyring()):  # type: ignore[no-untyped-call]  # keyring's classes are untyped
        assert index.secret() is None


def test_a_keyring_that_stays_shut_stops_the_start(tmp_path: Path) -> None:
    index = twine_settings(tmp_path, TWINE + 'username = "me"\n')

    with (
        keyring_of_the_machine(MemoryKeyring(is_open=False)),
        pytest.raises(SettingsError, match="the keyring does not open: KeyringLocked") as raised,
    ):
        index.secret()

    assert "tell-nobody" not in str(raised.value)


def test_a_missing_file_is_an_error_when_it_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="does not exist"):
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


def test_retention_is_off_until_it_says_how_many_to_keep(tmp_path: Path) -> None:
    index = '[index]\nkind = "static"\n'
    text = MINIMAL + index + "[index.retention]\nkeep_latest_per_major = 3\n"

    without = build_retention(load_settings(settings_file(tmp_path, MINIMAL + index)))
    kept = build_retention(load_settings(settings_file(tmp_path, text)))

    assert without is None
    assert kept == Retention(keep_latest_per_major=3, grace_seconds=30 * 86_400)


@pytest.mark.parametrize(
    "text",
    [
        TWINE + "password = 123456\n",
        TWINE + 'password = ["tell-nobody"]\n',
        TWINE.replace('"https://i/"', "123456"),
        'index = "http://me:tell-nobody@i/"\n' + MINIMAL,
        MINIMAL + '[snapshot.conf]\n"spark.password" = 123456\n',
    ],
)
def test_a_secret_of_a_wrong_type_is_not_shown(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError) as raised:
        load_settings(settings_file(tmp_path, text))

    assert "tell-nobody" not in str(raised.value)
    assert "123456" not in str(raised.value)


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("SCHEMA_PUBLISHER__EVENTS", "notification-log", "SCHEMA_PUBLISHER__EVENTS (environment): expected JSON"),
        ("SCHEMA_PUBLISHER__INDEX__PATHS", "x", "index.paths (environment) is unknown; allowed here: kind, path"),
        ("SCHEMA_PUBLISHER__CATALOG__DIALECT", "x", "catalog.dialect (environment) is unknown; allowed here: allow_insecure, default, kind, max"),
        ("SCHEMA_PUBLISHER_HTTP__PORT", "1", "did you mean SCHEMA_PUBLISHER__HTTP__PORT?"),
        ("SCHEMA_PUBLISHER__ENGIN__WORKERS", "3", "unknown section 'engin'; the sections are artifacts, catalog"),
    ],
)  # fmt: skip
def test_a_wrong_variable_is_told_in_plain_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, expected: str
) -> None:
    monkeypatch.setenv(variable, value)

    with pytest.raises(SettingsError) as raised:
        load_settings(settings_file(tmp_path, MINIMAL + '[index]\nkind = "static"\n'))

    assert expected in str(raised.value)


def test_a_variable_that_is_almost_one_of_ours_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SCHEMA_PUBLISHER_HTTP_PORT", "80")
    monkeypatch.setenv("SCHEMA_PUBLISHER_SERVICE_HOST", "10.0.0.1")

    settings = load_settings(settings_file(tmp_path, MINIMAL))

    assert settings.http.port == 8765
    (warning,) = caplog.messages
    wanted = "SCHEMA_PUBLISHER__HTTP__PORT"
    assert (
        warning == f"SCHEMA_PUBLISHER_HTTP_PORT (environment) is not read; did you mean {wanted}?"
    )


def test_variables_that_a_cluster_sets_for_a_service_of_our_name_are_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHEMA_PUBLISHER_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("SCHEMA_PUBLISHER_PORT_8765_TCP", "tcp://10.0.0.1:8765")

    assert load_settings(settings_file(tmp_path, MINIMAL)).http.port == 8765


def hive_settings(directory: Path, text: str) -> HiveCatalogSettings:
    (catalog,) = load_settings(settings_file(directory, MINIMAL + text)).catalog
    assert isinstance(catalog, HiveCatalogSettings)
    return catalog


def pem_files(folder: Path, *names: str) -> Path:
    """Makes them, and returns the first."""
    for name in names:
        (folder / f"{name}.pem").touch()
    return folder / f"{names[0]}.pem"


def test_a_metastore_may_be_reached_within_tls_and_sasl(tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("tell-nobody\n")
    catalog = hive_settings(
        tmp_path,
        'uri = "thrift://m1:9083,thrift://m2:9083"\n'
        f'[catalog.tls]\nca_file = "{pem_files(tmp_path, "ca")}"\n'
        f'[catalog.sasl]\nmechanism = "PLAIN"\nusername = "reader"\npassword_file = "{password}"\n',
    )

    assert catalog.security() == Security(
        Tls(str(tmp_path / "ca.pem")), Sasl("PLAIN", "reader", "tell-nobody")
    )
    assert SECRETS.redact("tell-nobody") == "***"


def test_a_metastore_is_reached_plainly_unless_told_otherwise(tmp_path: Path) -> None:
    assert hive_settings(tmp_path, "").security() == Security()


def test_a_metastores_password_is_not_sent_unencrypted(tmp_path: Path) -> None:
    sasl = '[catalog.sasl]\nmechanism = "PLAIN"\nusername = "reader"\npassword = "tell-nobody"\n'
    remote = 'uri = "thrift://127.0.0.1:9083,thrift://m2:9083"\n'

    with pytest.raises(SettingsError, match=r"add \[catalog\.tls\]") as raised:
        hive_settings(tmp_path, remote + sasl)

    assert "tell-nobody" not in str(raised.value)
    assert hive_settings(tmp_path, sasl).sasl
    assert hive_settings(tmp_path, remote + "allow_insecure = true\n" + sasl).sasl
    assert hive_settings(tmp_path, remote + '[catalog.sasl]\nmechanism = "GSSAPI"\n').sasl


def test_a_notification_log_elsewhere_is_sent_the_password_as_the_catalog_is(
    tmp_path: Path,
) -> None:
    sasl = '[catalog.sasl]\nmechanism = "PLAIN"\nusername = "reader"\npassword = "tell-nobody"\n'
    source = '[[events]]\nkind = "notification-log"\n'
    remote = source + 'uri = "thrift://127.0.0.1:9083, thrift://m:9083"\n'
    refusal = r"events \(.*\): catalog\.sasl would send the password unencrypted to events\.0\.uri"

    with pytest.raises(SettingsError, match=refusal) as raised:
        hive_settings(tmp_path, sasl + remote)

    assert "tell-nobody" not in str(raised.value)
    assert hive_settings(tmp_path, sasl + source).sasl
    assert hive_settings(tmp_path, "allow_insecure = true\n" + sasl + remote).sasl
    assert hive_settings(tmp_path, sasl + "[catalog.tls]\n" + remote).sasl


@pytest.mark.parametrize(
    "security",
    [
        'security_protocol = "SASL_PLAINTEXT"\nsasl_mechanism = "PLAIN"\n',
        'options = {security_protocol = "SASL_PLAINTEXT", sasl_mechanism = "PLAIN"}\n',
    ],
)
def test_kafkas_password_is_not_sent_unencrypted(tmp_path: Path, security: str) -> None:
    def load(servers: str, more: str) -> KafkaSettings:
        text = f'[[events]]\nkind = "kafka"\nbootstrap_servers = "{servers}"\ntopic = "t"\n{more}'
        (kafka,) = load_settings(settings_file(tmp_path, MINIMAL + text)).events
        assert isinstance(kafka, KafkaSettings)
        return kafka

    with pytest.raises(SettingsError, match="PLAIN would send the password unencrypted"):
        load("localhost:9092,broker:9092", security)

    assert load("localhost:9092,[::1]:9092", security)
    assert load("broker:9092", security + "allow_insecure = true\n").allow_insecure
    assert load("broker:9092", security.replace("SASL_PLAINTEXT", "SASL_SSL"))
    assert load("broker:9092", security.replace('"PLAIN"', '"SCRAM-SHA-256"'))


def test_kafkas_security_is_given_to_its_client(tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("tell-nobody\n")
    text = MINIMAL + (
        '[[events]]\nkind = "kafka"\nbootstrap_servers = "h:9093"\ntopic = "t"\n'
        'security_protocol = "SASL_SSL"\nsasl_mechanism = "SCRAM-SHA-512"\nusername = "reader"\n'
        f'password_file = "{password}"\n'
        'options = {ssl_check_hostname = true, sasl_mechanism = "PLAIN"}\n'
        f'[events.tls]\nca_file = "{pem_files(tmp_path, "ca", "c", "k")}"\n'
        'cert_file = "c.pem"\nkey_file = "k.pem"\n'
    )

    (kafka,) = load_settings(settings_file(tmp_path, text)).events
    assert isinstance(kafka, KafkaSettings)

    assert kafka.client_options() == {
        "ssl_check_hostname": True,
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_plain_username": "reader",
        "sasl_plain_password": "tell-nobody",
        "ssl_cafile": str(tmp_path / "ca.pem"),
        "ssl_certfile": str(tmp_path / "c.pem"),
        "ssl_keyfile": str(tmp_path / "k.pem"),
    }
