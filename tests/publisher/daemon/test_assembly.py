"""Settings become the objects that they name, without a request to any server."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.translation.model.interface import Returns, ReturnsArgument, ReturnsRows
from publisher.daemon.adapters import build_index, build_options, open_catalog
from publisher.daemon.assembly import build_sources, build_state
from publisher.events.ddl_folder import DdlFolderSource
from publisher.events.event_folder import EventFolderSource
from publisher.events.kafka_topic import KafkaSource
from publisher.events.notification_log import NotificationLogSource
from publisher.events.posted_events import PostedEvents
from publisher.events.protocol import EventSource, RelationHint
from publisher.index.static import StaticIndex
from publisher.index.twine_index import TwineIndex
from publisher.settings import Settings, SettingsError, load_settings

DDL = '[catalog]\nkind = "ddl"\npath = "ddl"\n'
HIVE = '[catalog]\nkind = "hive"\nuri = "thrift://127.0.0.1:1"\n'


def settings_of(folder: Path, text: str) -> Settings:
    config = folder / "schema-publisher.toml"
    config.write_text(f'[artifacts]\nprefix = "acme-schema"\n{text}')
    return load_settings(config)


@pytest.mark.parametrize(
    ("text", "expected"), [(DDL, DdlFilesCatalog), (HIVE, HiveMetastoreCatalog)]
)
def test_a_catalog_is_of_its_kind(tmp_path: Path, text: str, expected: type) -> None:
    with open_catalog(settings_of(tmp_path, text)) as catalog:
        assert isinstance(catalog, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DDL + '[[events]]\nkind = "ddl-folder"\n', DdlFolderSource),
        (HIVE + '[[events]]\nkind = "notification-log"\n', NotificationLogSource),
        (
            DDL + '[[events]]\nkind = "notification-log"\nuri = "thrift://127.0.0.1:1"\n',
            NotificationLogSource,
        ),
        (
            HIVE + '[[events]]\nkind = "kafka"\nbootstrap_servers = "127.0.0.1:1"\ntopic = "t"\n',
            KafkaSource,
        ),
        (
            HIVE + '[[events]]\nkind = "kafka"\nbootstrap_servers = "127.0.0.1:1"\ntopic = "t"\n'
            'format = "lakekeeper"\ncatalog = "hive"\n',
            KafkaSource,
        ),
        (
            DDL + '[[events]]\nkind = "event-folder"\npath = "events"\nformat = "polaris"\n',
            EventFolderSource,
        ),
        (
            DDL
            + '[[events]]\nkind = "http"\nname = "glue"\nsecret_file = "secret"\nformat = "glue"\n',
            PostedEvents,
        ),
    ],
)
def test_an_event_source_is_of_its_kind(tmp_path: Path, text: str, expected: type) -> None:
    (tmp_path / "secret").write_text("k7Jq2vX9bT4wLm8RzY3h\n")
    settings = settings_of(tmp_path, text)

    with open_catalog(settings) as catalog:
        (source,) = build_sources(settings, catalog)

    assert isinstance(source, expected)
    source.close()


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        (HIVE + '[[events]]\nkind = "ddl-folder"\n', 'catalog.kind = "ddl"'),
        (DDL + '[[events]]\nkind = "notification-log"\n', "uri"),
        (
            DDL + '[[events]]\nkind = "http"\nname = "a"\nsecret_file = "short"\nformat = "glue"\n',
            "at least 16 bytes",
        ),
        (
            DDL + '[[events]]\nkind = "http"\nname = "a"\nsecret_file = "s"\nformat = "glue"\n'
            "[http]\nenabled = false\n",
            "http.enabled = true",
        ),
        (
            DDL + '[[events]]\nkind = "event-folder"\npath = "e"\nformat = "glue"\ncatalog = "x"\n',
            "known: ddl",
        ),
        (
            HIVE + '[[events]]\nkind = "notification-log"\n'
            '[[events]]\nkind = "notification-log"\nuri = "thrift://127.0.0.2:1"\n',
            "2 sources would share one position, 'notification-log'; set `catalog` of each",
        ),
    ],
)
def test_a_source_that_does_not_fit_the_catalog_is_refused(
    tmp_path: Path, text: str, needed: str
) -> None:
    (tmp_path / "short").write_text("short")
    settings = settings_of(tmp_path, text)

    with (
        open_catalog(settings) as catalog,
        pytest.raises(SettingsError, match=needed),
    ):
        build_sources(settings, catalog)


def hints_of(source: EventSource) -> list[str]:
    begun = source.poll(None, 0)
    assert begun is not None
    found = source.poll(begun.position, 0) or begun
    return [str(hint.relation) for hint in found.hints if isinstance(hint, RelationHint)]


def test_events_of_a_folder_name_relations_as_the_catalog_compares_them(tmp_path: Path) -> None:
    text = (
        DDL + '[[events]]\nkind = "event-folder"\npath = "events"\n'
        'mapping = { full_name = "$.table", separator = "/" }\n'
    )
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "1.json").write_text('{"table": "Shop/Orders"}')
    settings = settings_of(tmp_path, text)

    with open_catalog(settings) as catalog:
        (source,) = build_sources(settings, catalog)

    assert hints_of(source) == ["shop.orders"]
    source.close()


def test_an_index_is_of_its_kind(tmp_path: Path) -> None:
    twine = (
        '[index]\nkind = "twine"\nrepository_url = "https://i/legacy/"\n'
        'simple_url = "https://i/simple/"\nusername = "me"\npassword = "p"\n'
    )

    assert isinstance(build_index(settings_of(tmp_path, DDL + twine)), TwineIndex)
    assert isinstance(build_index(settings_of(tmp_path, DDL)), StaticIndex)


def test_the_folder_of_the_state_is_created(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "state.db"

    build_state(settings_of(tmp_path, f'{DDL}[state]\nurl = "sqlite:///{path}"\n')).close()

    assert path.exists()


def test_a_udf_returns_a_type_rows_or_an_argument(tmp_path: Path) -> None:
    text = (
        "[translation.udfs]\n"
        '"c.One" = { returns = "bigint" }\n'
        '"c.Rows" = { returns_rows = "struct<a:int>" }\n'
        '"c.Same" = { returns_argument = 1 }\n'
    )

    udfs = build_options(settings_of(tmp_path, DDL + text)).udfs

    assert [type(udfs[name]) for name in ("c.One", "c.Rows", "c.Same")] == [
        Returns,
        ReturnsRows,
        ReturnsArgument,
    ]


def test_a_udfs_malformed_type_is_refused_with_its_key(tmp_path: Path) -> None:
    text = DDL + '[translation.udfs]\n"c.F" = { returns = "array<" }\n'

    with pytest.raises(SettingsError, match=r"translation\.udfs\.c\.F"):
        build_options(settings_of(tmp_path, text))
