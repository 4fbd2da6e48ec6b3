"""Misconfigurations, one row each: the fault, and the beginning of the line that reports it.

``{…}`` in a row stands for a value from ``places.py``, such as the port of a server that refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

NO, USAGE_ERROR = 1, 2

_PREFIX = '[artifacts]\nprefix = "acme-schema"\n'
_DDL = '[catalog]\nkind = "ddl"\n'
_FIRST = '[[catalog]]\nkind = "ddl"\nname = "first"\ndefault = true\n'
_SECOND = '[[catalog]]\nkind = "ddl"\nname = "second"\n'
_HIVE = '[catalog]\nkind = "hive"\n'
_HIVE_THERE = '[catalog]\nkind = "hive"\nuri = "thrift://127.0.0.1:{metastore}"\n'
_ICEBERG = '[catalog]\nkind = "iceberg"\n'
_AWS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_CONFIG_FILE": "/nonexistent/config",
    "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent/credentials",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_MAX_ATTEMPTS": "1",
    "AWS_REGION": "",
    "AWS_DEFAULT_REGION": "",
}
_TWINE = """\
[index]
kind = "twine"
repository_url = "https://packages.example/legacy/"
simple_url = "https://packages.example/simple/"
"""
_SECRET = "tell-nobody"


@dataclass(frozen=True)
class Misconfiguration:
    """One mistake in a deployment that is otherwise good.

    Attributes:
        settings: the file, ``schema-publisher.toml``.
        line: how the error begins that names it.
        part: of ``config check`` that cannot be used; "" if the settings themselves cannot be read.
        environment: variables beside the file.
        prepare: what is there already, made in the deployment's folder.
    """

    what: str
    settings: str
    line: str
    part: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    prepare: Callable[[Path], object] = lambda _: None

    @property
    def status(self) -> int:
        return NO if self.part else USAGE_ERROR

    def __str__(self) -> str:
        return self.what


def _file(what: str, added: str, line: str, catalog: str = _DDL) -> Misconfiguration:
    """A key of the file, beneath sections that are as they should be."""
    return Misconfiguration(what, _PREFIX + catalog + added, line)


def _whole(what: str, settings: str, line: str) -> Misconfiguration:
    return Misconfiguration(what, settings, line)


def _artifacts(what: str, added: str, line: str) -> Misconfiguration:
    return Misconfiguration(what, _PREFIX + added + "\n" + _DDL, line)


def _variable(what: str, name: str, value: str, line: str, added: str = "") -> Misconfiguration:
    return Misconfiguration(what, _PREFIX + _DDL + added, line, environment={name: value})


def _part(
    what: str,
    part: str,
    settings: str,
    line: str,
    prepare: Callable[[Path], object] = lambda _: None,
) -> Misconfiguration:
    return Misconfiguration(what, settings, line, part, prepare=prepare)


def _server(what: str, port: str, line: str) -> Misconfiguration:
    """An index that a server of ``places.py`` is not."""
    url = f"http://127.0.0.1:{{{port}}}"
    index = f'[index]\nkind = "twine"\nrepository_url = "{url}/"\nsimple_url = "{url}/simple/"\n'
    return _part(what, "index", _PREFIX + _DDL + index + "timeout_seconds = 0.2\n", line)


def _metastore(what: str, address: str, line: str, added: str = "") -> Misconfiguration:
    catalog = f'[catalog]\nkind = "hive"\nuri = "thrift://{address}"\ntimeout_seconds = 0.2\n'
    return _part(what, "catalog", _PREFIX + catalog + added, line)


def _iceberg(what: str, added: str, line: str) -> Misconfiguration:
    return Misconfiguration(what, _PREFIX + _ICEBERG + added, line)


def _glue(
    what: str, added: str, line: str, environment: Mapping[str, str] = MappingProxyType({})
) -> Misconfiguration:
    """Independent of the machine's own configuration of AWS."""
    catalog = _ICEBERG + 'type = "glue"\n' + added
    return Misconfiguration(what, _PREFIX + catalog, line, "catalog", _AWS | dict(environment))


def _write(name: str, content: bytes = b"", mode: int = 0o600) -> Callable[[Path], object]:
    def write(folder: Path) -> None:
        (folder / name).write_bytes(content)
        (folder / name).chmod(mode)

    return write


UNREADABLE = (
    _whole("the file is not TOML", "[artifacts\n", "{file}: is not TOML: "),
    _whole("a key stands twice in the file", _PREFIX + 'prefix = "b"\n', "{file}: is not TOML: "),
    _whole("there is no prefix", _DDL, "artifacts ({file}) is missing"),
    _whole("there is no catalog", _PREFIX, "catalog ({file}) is missing"),
    _whole("a section is a number", "engine = 3\n" + _PREFIX + _DDL, "engine ({file}): expected a table of keys and values"),
    _file("a section is unknown", "[surprise]\nkey = 1\n", "surprise ({file}) is unknown; allowed here: artifacts, "),
    _file("a key is mistyped", "[http]\nprot = 1\n", "http.prot ({file}) is unknown; allowed here: enabled, host, "),
    _whole("the prefix has a capital", '[artifacts]\nprefix = "Acme"\n' + _DDL, "artifacts.prefix ({file}): invalid prefix 'Acme': expected lower-case words joined by '-'"),
    _whole("the prefix is too long", f'[artifacts]\nprefix = "{"a" * 41}"\n' + _DDL, "artifacts.prefix ({file}): expected at most 40 characters"),
    _artifacts("a pattern names no table", 'include = ["shop"]', "artifacts.include ({file}): invalid pattern 'shop': expected database.table"),
    _artifacts("the versioning is unknown", 'versioning = "calendar"', "artifacts.versioning ({file}) is 'calendar': expected one of semantic, sequential"),
    _artifacts("a link of packages is a script", 'project_urls = { Page = "javascript:alert(1)" }', "artifacts.project_urls ({file}): invalid URL 'javascript:alert(1)': expected http://"),
    _artifacts("a link of packages has a wrong placeholder", 'project_urls = { Page = "http://a/{table}" }', "artifacts.project_urls ({file}): invalid URL 'http://a/{table}'"),
    _artifacts("a link of packages adds a header", 'project_urls = { Page = "http://a/\\nX: b" }', "artifacts.project_urls ({file}): invalid URL 'http://a/\\nX: b'"),
    _artifacts("a link's label has a comma", 'project_urls = { "a, b" = "http://a" }', "artifacts.project_urls ({file}): invalid label 'a, b': expected up to 32 characters without a comma"),
    _artifacts("a trusted key is not a key", 'trusted_keys = ["ssh-ed25519 AAAA"]', "artifacts.trusted_keys ({file}): "),
    _whole("the catalog's kind is unknown", _PREFIX + '[catalog]\nkind = "glue"\n', "catalog.kind ({file}) is 'glue': expected one of ddl, hive, iceberg, spark"),
    _whole("the catalog's kind is missing", _PREFIX + '[catalog]\npath = "ddl"\n', "catalog.kind ({file}) is missing: expected one of ddl, hive, iceberg, spark"),
    _whole("two catalogs have one name", _PREFIX + _FIRST + '[[catalog]]\nkind = "ddl"\nname = "first"\n', "catalog ({file}): two catalogs have the name 'first'; give each its own `name`"),
    _whole("two catalogs have the name that their kind gives", _PREFIX + '[[catalog]]\nkind = "hive"\ndefault = true\n[[catalog]]\nkind = "hive"\nuri = "thrift://h:1"\n', "catalog ({file}): two catalogs have the name 'hive'; give each its own `name`"),
    _whole("two catalogs are the default one", _PREFIX + _FIRST + _SECOND + "default = true\n", "catalog ({file}): of several catalogs, exactly one needs `default = true`"),
    _whole("no catalog is the default one", _PREFIX + _FIRST.replace("true", "false") + _SECOND, "catalog ({file}): of several catalogs, exactly one needs `default = true`"),
    _whole("a catalog's name has a dot", _PREFIX + _FIRST + '[[catalog]]\nkind = "ddl"\nname = "a.b"\n', "catalog ({file}): 'a.b' is no name for a catalog: write a letter, then at most 63 letters, digits, _ or -"),
    _whole("a catalog's name is empty", _PREFIX + _FIRST + '[[catalog]]\nkind = "ddl"\nname = ""\n', "catalog ({file}): '' is no name for a catalog"),
    _whole("a catalog's name is a path", _PREFIX + _FIRST + '[[catalog]]\nkind = "ddl"\nname = "../x"\n', "catalog ({file}): '../x' is no name for a catalog"),
    _whole("views call two catalogs the same", _PREFIX + _FIRST + _SECOND + 'sql_names = ["lake", "first"]\n', "catalog ({file}): views call two catalogs 'first': 'first' and 'second'; change the `sql_names` of one"),
    _whole("a catalog's name in views is empty", _PREFIX + _FIRST + 'sql_names = [" "]\n', "catalog.sql_names ({file}): a name is empty"),
    _whole("there is a list of no catalogs", "catalog = []\n" + _PREFIX, "catalog ({file}): at least one catalog is needed"),
    _file("the catalog has a key of another kind", 'uri = "thrift://h:9083"\n', "catalog.uri ({file}) is unknown; allowed here: default, dialect, kind, name, path, sql_names"),
    _file("the catalog's dialect is unknown", 'dialect = "pig"\n', "catalog.dialect ({file}) is 'pig': expected one of hive, spark"),
    _whole("the metastore's address is of HTTP", _PREFIX + '[catalog]\nkind = "hive"\nuri = "http://h"\n', "catalog.uri ({file}): invalid metastore address 'http://h': expected thrift://host:9083"),
    _whole("the metastore's port is no number", _PREFIX + '[catalog]\nkind = "hive"\nuri = "thrift://h:thrift"\n', "catalog.uri ({file}): invalid metastore address 'thrift://h:thrift'"),
    _file("the metastore has no time at all", "timeout_seconds = 0\n", "catalog.timeout_seconds ({file}) is 0: expected greater than 0", _HIVE),
    _file("there are too many connections", "max_connections = 100\n", "catalog.max_connections ({file}) is 100: expected less than or equal to 64", _HIVE),
    _file("SASL's mechanism is unknown", 'sasl = { mechanism = "NTLM" }\n', "catalog.sasl.mechanism ({file}) is 'NTLM': expected one of GSSAPI, PLAIN", _HIVE),
    _whole("a metastore's password would be sent unencrypted", _PREFIX + '[catalog]\nkind = "hive"\nuri = "thrift://h:1"\n[catalog.sasl]\nmechanism = "PLAIN"\n', "catalog ({file}): sasl would send the password unencrypted; add [catalog.tls]"),
    _iceberg("the type of Iceberg's catalog is unknown", 'type = "polaris"\n', "catalog.type ({file}) is 'polaris': expected one of glue, hive, nessie, rest, sql"),
    _iceberg("Iceberg's metastore has no address", 'type = "hive"\n', 'catalog ({file}): uri is missing; type = "hive" needs it'),
    _iceberg("Iceberg's metastore has an address of HTTP", 'type = "hive"\nuri = "http://h"\n', "catalog ({file}): invalid metastore address 'http://h': expected thrift://host:9083"),
    _iceberg("Nessie has a credential and no OAuth server", 'type = "nessie"\nuri = "https://h/api/v2"\ncredential_file = "f"\n', "catalog ({file}): oauth_uri is missing; Nessie itself gives no tokens for a credential"),
    _iceberg("Glue has a warehouse", 'type = "glue"\nwarehouse = "w"\n', 'catalog ({file}): warehouse does nothing for type = "glue"'),
    _iceberg("Glue's role would be sent unencrypted", 'type = "glue"\nuri = "http://glue.example"\n', "catalog ({file}): uri would send the token or credential over plain http://"),
    _file("the source's kind is unknown", '[[events]]\nkind = "sqs"\n', "events.0.kind ({file}) is 'sqs': expected one of ddl-folder, event-folder, http, iceberg, kafka, notification-log"),
    _file("a key of a source is mistyped", '[[events]]\nkind = "notification-log"\npol_seconds = 1\n', "events.0.pol_seconds ({file}) is unknown; allowed here: catalog, kind, poll_seconds, uri; did you mean poll_seconds?"),
    _file("a source has a key of another kind", '[[events]]\nkind = "ddl-folder"\ntopic = "x"\n', "events.0.topic ({file}) is unknown; allowed here: catalog, kind"),
    _file("the log is asked without a pause", '[[events]]\nkind = "notification-log"\npoll_seconds = 0\n', "events.0.poll_seconds ({file}) is 0: expected greater than 0"),
    _file("an event's path is not one", '[[events]]\nkind = "event-folder"\npath = "e"\nmapping = { full_name = "table" }\n', "events.0.mapping.full_name ({file}): invalid path 'table': expected"),
    _file("an event's path searches", '[[events]]\nkind = "event-folder"\npath = "e"\nmapping = { full_name = ["$.a", "$..b"] }\n', "events.0.mapping.full_name ({file}): invalid path '$..b': expected names, indexes and [*] only"),
    _file("custom events have no names", '[[events]]\nkind = "event-folder"\npath = "e"\n', "events.0 ({file}): set mapping.full_name, or both mapping.namespace and mapping.name"),
    _file("types of events are nowhere", '[[events]]\nkind = "event-folder"\npath = "e"\nmapping = { full_name = "$.a", type = [], types = ["b"] }\n', "events.0 ({file}): set mapping.type"),
    _file("only one catalog counts, but none is named", '[[events]]\nkind = "event-folder"\npath = "e"\nformat = "glue"\nonly_catalog = "prod"\n', "events.0 ({file}): only_catalog needs mapping.catalog"),
    _file("Apiary's format is changed", '[[events]]\nkind = "kafka"\nbootstrap_servers = "h:9092"\ntopic = "t"\nmapping = { full_name = "$.a" }\n', 'events.0 ({file}): format "apiary" has no mapping'),
    _file("posted events have no secret", '[[events]]\nkind = "http"\nname = "glue"\nformat = "glue"\n', "events.0.secret_file ({file}) is missing"),
    _file("the name of posted events is no address", '[[events]]\nkind = "http"\nname = "a/b"\nformat = "glue"\nsecret_file = "s"\n', "events.0.name ({file}): invalid name 'a/b': expected lower-case words"),
    _file("a header has a blank", '[[events]]\nkind = "http"\nname = "a"\nformat = "glue"\nsecret_file = "s"\nid_header = "a b"\n', "events.0.id_header ({file}): invalid header 'a b'"),
    _file("two sources have one name", '[[events]]\nkind = "http"\nname = "a"\nformat = "glue"\nsecret_file = "s"\n[[events]]\nkind = "http"\nname = "a"\nformat = "glue"\nsecret_file = "s"\n', "events ({file}): two sources of kind http are called a"),
    _file("Kafka has no topic", '[[events]]\nkind = "kafka"\nbootstrap_servers = "h:9092"\n', "events.0.topic ({file}) is missing"),
    _file("Kafka's protocol is unknown", '[[events]]\nkind = "kafka"\nbootstrap_servers = "h:9092"\ntopic = "t"\nsecurity_protocol = "TLS"\n', "events.0.security_protocol ({file}) is 'TLS': expected one of PLAINTEXT, "),
    _file("Kafka's password would be sent unencrypted", '[[events]]\nkind = "kafka"\nbootstrap_servers = "h:9092"\ntopic = "t"\nsecurity_protocol = "SASL_PLAINTEXT"\nsasl_mechanism = "PLAIN"\n', "events.0 ({file}): SASL_PLAINTEXT with PLAIN would send the password unencrypted"),
    _whole("the log's password would be sent unencrypted", _PREFIX + '[catalog]\nkind = "hive"\nuri = "thrift://127.0.0.1:1"\n[catalog.sasl]\nmechanism = "PLAIN"\n[[events]]\nkind = "notification-log"\nuri = "thrift://h:1"\n', "events ({file}): catalog.sasl would send the password unencrypted to events.0.uri; add [catalog.tls]"),
    _file("the index's kind is unknown", '[index]\nkind = "s3"\n', "index.kind ({file}) is 's3': expected one of static, twine"),
    _file("the index has a key of another kind", '[index]\nkind = "static"\nusername = "x"\n', "index.username ({file}) is unknown; allowed here: kind, path, retention"),
    _file("the index's address is not of HTTP", _TWINE.replace("https://packages.example/legacy/", f"ftp://me:{_SECRET}@h/"), "index.repository_url ({file}): expected http://HOST/… or https://HOST/…"),
    _file("the index's address has a blank", _TWINE.replace("example/simple/", "example /simple/"), "index.simple_url ({file}): expected http://HOST/…"),
    _file("the index's second address is missing", '[index]\nkind = "twine"\nrepository_url = "https://h/"\n', "index.simple_url ({file}) is missing"),
    _file("the index's password would be sent unencrypted", _TWINE.replace("https", "http") + f'password = "{_SECRET}"\n', "index ({file}): repository_url would send the password over plain http://"),
    _file("no version is kept", '[index]\nkind = "static"\n[index.retention]\nkeep_latest_per_major = 0\n', "index.retention.keep_latest_per_major ({file}) is 0: expected greater than or equal to 1"),
    _file("retention does not say how many to keep", '[index]\nkind = "static"\n[index.retention]\nyank_after_days = 3\n', "index.retention.keep_latest_per_major ({file}) is missing"),
    _file("versions are yanked before they are there", '[index]\nkind = "static"\n[index.retention]\nkeep_latest_per_major = 1\nyank_after_days = -1\n', "index.retention.yank_after_days ({file}) is -1: expected greater than or equal to 0"),
    _file("the state is of another database", f'[state]\nurl = "mysql://me:{_SECRET}@db/"\n', "state.url ({file}): expected sqlite:///FILE"),
    _file("the database of the state has no name", f'[state]\nurl = "postgresql://me:{_SECRET}@db"\n', "state.url ({file}): expected sqlite:///FILE"),
    _file("the state has no file", '[state]\nurl = "sqlite:///"\n', "state.url ({file}): expected sqlite:///FILE"),
    _file("the state's file cannot have such a name", '[state]\nurl = "sqlite:///a\\u0000b"\n', "state ({file}): url contains a NUL character"),
    _file("the runner is unknown", '[snapshot]\nrunner = "sparx"\n', "snapshot.runner ({file}) is 'sparx': expected one of auto, local, spark"),
    _file("a snapshot has no task", "[snapshot]\ntasks = 0\n", "snapshot.tasks ({file}) is 0: expected greater than or equal to 1"),
    _file("snapshots never end", "[snapshot]\ninterval_seconds = 0\n", "snapshot.interval_seconds ({file}) is 0: expected greater than 0"),
    _file("there is no worker", "[engine]\nworkers = 0\n", "engine.workers ({file}) is 0: expected greater than or equal to 1"),
    _file("a number is a word", '[engine]\nworkers = "two"\n', "engine.workers ({file}) is 'two': expected a valid integer"),
    _file("a share is more than all", "[engine]\nmax_deletion_share = 20\n", "engine.max_deletion_share ({file}) is 20: expected less than or equal to 1"),
    _file("what becomes of a mass change is unknown", '[engine]\nmass_change = "ask"\n', "engine.mass_change ({file}) is 'ask': expected one of canary, confirm, off"),
    _file("there is no such port", "[http]\nport = 70000\n", "http.port ({file}) is 70000: expected less than or equal to 65535"),
    _file("a switch is a word", '[http]\nenabled = "perhaps"\n', "http.enabled ({file}) is 'perhaps': expected a valid boolean"),
    _file("the public address is a command", '[http]\npublic_url = "https://a/$(reboot)"\n', "http.public_url ({file}): invalid URL 'https://a/$(reboot)': expected https://HOST"),
    _file("the casing is unknown", '[translation]\ncasing = "upper"\n', "translation.casing ({file}) is 'upper': expected one of preserve, lower"),
    _file("the unit of timestamps is unknown", '[translation]\ntimestamp_unit = "nanos"\n', "translation.timestamp_unit ({file}) is 'nanos': expected one of micros, millis"),
    _file("a function returns no type", '[translation.udfs]\n"a.B" = { returns = "nothing" }\n', "translation.udfs.a.B ({file}): column type 'nothing' is malformed"),
    _file("a function returns two things", '[translation.udfs]\n"a.B" = { returns = "int", returns_argument = 0 }\n', "translation.udfs.a.B ({file}) is "),
    _file("a function's key is mistyped", '[translation.udfs]\n"a.B" = { gives = "int" }\n', "translation.udfs.a.B.gives ({file}) is unknown; allowed here: returns, returns_argument, returns_rows"),
    _file("a plugin is a statement", '[translation]\nudf_plugins = ["import os"]\n', "translation.udf_plugins ({file}): invalid plugin 'import os': expected module:callable"),
    _file("a rule of functions names no class", '[[translation.spark_udfs]]\nspark_class = "x"\n', "translation.spark_udfs.0.class ({file}) is missing"),
    _file("a rule of functions has an unknown key", '[[translation.spark_udfs]]\nclass = "*"\nspark = "x"\n', "translation.spark_udfs.0.spark ({file}) is unknown; allowed here: class, dependency, "),
    _file("a rule of functions has a place without a star", '[[translation.spark_udfs]]\nclass = "*"\nspark_class = "{2}"\n', "translation.spark_udfs.0 ({file}) is "),
    _file("the dialect of checks is unknown", '[check]\ndialect = "cobol"\n', "check.dialect ({file}): "),
    _file("the process of checks has no room", "[check]\nmemory_bytes = 1000\n", "check.memory_bytes ({file}) is 1000: expected greater than or equal to 268435456"),
    _file("the dialect of logged queries is unknown", '[plan]\nquery_dialect = "pig"\n', "plan.query_dialect ({file}) is 'pig': expected one of hive, spark"),
    _variable("a variable's section is unknown", "SCHEMA_PUBLISHER__ENGIN__WORKERS", "3", "SCHEMA_PUBLISHER__ENGIN__WORKERS (environment): unknown section 'engin'; the sections are artifacts, "),
    _variable("a variable's key is unknown", "SCHEMA_PUBLISHER__ENGINE__WORKER", "3", "engine.worker (environment) is unknown; allowed here: "),
    _variable("a variable has one underscore", "SCHEMA_PUBLISHER_HTTP__PORT", "1", "SCHEMA_PUBLISHER_HTTP__PORT (environment) is unknown; did you mean SCHEMA_PUBLISHER__HTTP__PORT?"),
    _variable("a variable is not of its section's kind", "SCHEMA_PUBLISHER__CATALOG__URI", "http://x", "catalog.uri (environment) is unknown; allowed here: default, dialect, kind, name, path, sql_names"),
    _variable("a variable of several keys is not JSON", "SCHEMA_PUBLISHER__EVENTS", "notification-log", "SCHEMA_PUBLISHER__EVENTS (environment): expected JSON, such as "),
    _variable("a variable of several sources has a wrong one", "SCHEMA_PUBLISHER__EVENTS", '[{"kind": "notification-log", "uri": "http://x"}]', "events.0.uri ("),
    _variable("a variable is almost a key", "SCHEMA_PUBLISHER__INDEX__PATHS", "x", added='[index]\nkind = "static"\n', line="index.paths (environment) is unknown; allowed here: kind, path, retention; did you mean path?"),
    _variable("a variable's function returns no type", "SCHEMA_PUBLISHER__TRANSLATION__UDFS", '{"a.B": {"returns": "nope"}}', "translation.udfs.a.B ("),
    _variable("a variable is not a number", "SCHEMA_PUBLISHER__HTTP__PORT", "seven", "http.port (environment) is 'seven': expected a valid integer"),
    _variable("a variable is none of the words", "SCHEMA_PUBLISHER__SNAPSHOT__RUNNER", "sparx", "snapshot.runner (environment) is 'sparx': expected one of auto, local, spark"),
)  # fmt: skip
"""What is seen before anything is asked: every command ends, with exit status 2."""

UNUSABLE = (
    _part("there is no folder of DDL", "catalog", _PREFIX + _DDL + 'path = "nowhere"\n', "catalog {folder}/nowhere does not answer: there is no such folder; check that its path is right"),
    _part("the folder of DDL is a file", "catalog", _PREFIX + _DDL + 'path = "file"\n', "catalog {folder}/file does not answer: there is no such folder; check that its path is right", _write("file")),
    _metastore("the metastore refuses connections", "127.0.0.1:{refusing}", "catalog hive does not answer: Could not connect to any of [('127.0.0.1', {refusing})]"),
    _metastore("the metastore hangs up", "127.0.0.1:{hanging_up}", "catalog hive does not answer: "),
    _metastore("the metastore is another server", "127.0.0.1:{other_protocol}", "catalog hive does not answer: the answer is not Thrift: "),
    _metastore("the metastore is a web server", "127.0.0.1:{failing}", "catalog hive does not answer: read timeout (thrift://127.0.0.1:{failing}); check that it runs and that its address is right"),
    _metastore("the metastore does not answer", "127.0.0.1:{silent}", "catalog hive does not answer: read timeout (thrift://127.0.0.1:{silent})"),
    _metastore("the metastore's host is unknown", "metastore.invalid:9083", "catalog hive does not answer: failed to resolve sockaddr for metastore.invalid:9083"),
    _metastore("the metastore's authority is missing", "127.0.0.1:{refusing}", "catalog.tls.ca_file ({folder}/no.pem): No such file", '[catalog.tls]\nca_file = "no.pem"\n'),
    _metastore("the metastore's password is missing", "127.0.0.1:{refusing}", "catalog.sasl.password_file ({folder}/secret): No such file", '[catalog.sasl]\nmechanism = "PLAIN"\nusername = "me"\npassword_file = "secret"\n'),
    _part("Nessie refuses connections", "catalog", _PREFIX + _ICEBERG + 'type = "nessie"\nuri = "http://127.0.0.1:{refusing}/api/v2"\n', "catalog iceberg does not answer: 127.0.0.1 does not answer (ConnectionError)"),
    _part("Iceberg's metastore refuses connections", "catalog", _PREFIX + _ICEBERG + 'type = "hive"\nuri = "thrift://127.0.0.1:{refusing}"\n', "catalog iceberg does not answer: Could not connect to any of [('127.0.0.1', {refusing})]"),
    _glue("Glue refuses connections", 'uri = "http://127.0.0.1:{refusing}"\nregion = "eu-west-1"\n', 'catalog iceberg does not answer: Could not connect to the endpoint URL: "http://127.0.0.1:{refusing}/"; check that it runs'),
    _glue("Glue has no region", "", "catalog iceberg refused the connection: You must specify a region.; set catalog.region"),
    _glue("Glue knows no credentials", 'region = "eu-west-1"\n', "catalog iceberg does not answer: Unable to locate credentials; check the AWS credentials", {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}),
    _server("the index refuses connections", "refusing", "package index http://127.0.0.1:{refusing}/simple/: no response (ConnectionRefusedError: Connection refused); check that the index runs, and its addresses"),
    _server("the index hangs up", "hanging_up", "package index http://127.0.0.1:{hanging_up}/simple/: no response "),
    _server("the index is another server", "other_protocol", "package index http://127.0.0.1:{other_protocol}/simple/: no response (BadStatusLine)"),
    _server("the index does not answer", "silent", "package index http://127.0.0.1:{silent}/simple/: no response in time; look why the index is slow, or raise index.timeout_seconds"),
    _server("the index does not know us", "unauthorised", "package index http://127.0.0.1:{unauthorised}/simple/: Unauthorized (HTTP 401); check the username and password in [index]"),
    _server("the index fails", "failing", "package index http://127.0.0.1:{failing}/simple/: Internal Server Error (HTTP 500); look into the log of the index"),
    _server("the index does not exist", "no_index", "package index http://127.0.0.1:{no_index}/simple/: the index does not exist (HTTP 404); check index.simple_url, and create the index"),
    _server("the index is another web site", "web_site", "package index http://127.0.0.1:{web_site}/simple/: the page of acme-schema-config-check: expected HTML or JSON, got 'image/gif'; check index.simple_url"),
    _part("the index's host is unknown", "index", _PREFIX + _DDL + _TWINE.replace("packages.example", "packages.invalid"), "package index https://packages.invalid/simple/: no response (gaierror: "),
    _part("the index's password is missing", "index", _PREFIX + _DDL + _TWINE + 'password_file = "secret"\n', "index.password_file ({folder}/secret): No such file"),
    _part("the index's folder is a file", "index", _PREFIX + _DDL + '[index]\nkind = "static"\npath = "file"\n', "{folder}/file: is not a folder", _write("file")),
    _part("the state's folder is a file", "state", _PREFIX + _DDL + '[state]\nurl = "sqlite:///file/state.db"\n', "{folder}/file: is not a folder", _write("file")),
    _part("a plugin is not installed", "translation", _PREFIX + _DDL + '[translation]\nudf_plugins = ["no_such_module:resolve"]\n', "translation.udf_plugins: UDF plugin no_such_module:resolve cannot be used"),
    _part("a plugin has no such function", "translation", _PREFIX + _DDL + '[translation]\nudf_plugins = ["json:nope"]\n', "translation.udf_plugins: UDF plugin json:nope cannot be used"),
    _part("the signing key is missing", "index", _PREFIX + 'signing_key_file = "key.pem"\n' + _DDL, "artifacts.signing_key_file ({folder}/key.pem): No such file"),
    _part("the signing key is not a key", "index", _PREFIX + 'signing_key_file = "key.pem"\n' + _DDL, "artifacts.signing_key_file ({folder}/key.pem): expected an Ed25519 private key", _write("key.pem", b"key")),
    _part("the signing key is everybody's", "index", _PREFIX + 'signing_key_file = "key.pem"\n' + _DDL, "artifacts.signing_key_file ({folder}/key.pem): other users can read or change it (mode 0644); run chmod 600", _write("key.pem", b"key", 0o644)),
    _part("an index of uploads cannot be signed for", "index", _PREFIX + 'signing_key_file = "key.pem"\n' + _DDL + _TWINE, 'artifacts.signing_key_file and artifacts.trusted_keys need index.kind = "static"'),
    _part("the log has no metastore", "events", _PREFIX + _DDL + '[[events]]\nkind = "notification-log"\n', 'events: "notification-log" needs a uri, or catalog.kind = "hive"'),
    _part("the log's metastore refuses connections", "events.0", _PREFIX + _DDL + '[[events]]\nkind = "notification-log"\nuri = "thrift://127.0.0.1:{refusing}"\n', "event source notification-log does not answer: Could not connect to any of "),
    _part("events concern a catalog that is not there", "events", _PREFIX + _HIVE_THERE + '[[events]]\nkind = "event-folder"\npath = "e"\nformat = "glue"\ncatalog = "prod"\n', "no [[catalog]] has the name 'prod'; known: hive"),
    _part("posted events have a secret that is not there", "events", _PREFIX + _HIVE_THERE + '[[events]]\nkind = "http"\nname = "a"\nformat = "glue"\nsecret_file = "away"\n', "events.secret_file ({folder}/away): No such file or directory"),
    _part("a source is of an unknown catalog", "events", _PREFIX + _FIRST.replace('"ddl"', '"ddl"\npath = "."') + '[[events]]\nkind = "ddl-folder"\ncatalog = "third"\n', "no [[catalog]] has the name 'third'; known: first"),
    _part("a folder is watched that is no catalog", "events", _PREFIX + _HIVE_THERE + '[[events]]\nkind = "ddl-folder"\n', 'events: "ddl-folder" needs catalog.kind = "ddl"'),
    _part("the token of the pages is missing", "http", _PREFIX + _DDL + '[http]\noperations_token_file = "token"\n', "http.operations_token_file ({folder}/token): No such file"),
    _part("the token of the pages is short", "http", _PREFIX + _DDL + '[http]\noperations_token_file = "token"\n', "http.operations_token_file ({folder}/token): expected at least 16 characters", _write("token", b"short")),
    _part("a rule of checks is unknown", "check", _PREFIX + _DDL + "[check]\nenabled = true\nrules = { cross_joins = false }\n", "check.rules: "),
    _part("the grants are missing", "check", _PREFIX + _DDL + '[check]\nenabled = true\ngrants_file = "grants.json"\n', "check.grants_file ({folder}/grants.json): "),
    _part("the grants are not JSON", "check", _PREFIX + _DDL + '[check]\nenabled = true\ngrants_file = "grants.json"\n', "check.grants_file ({folder}/grants.json): ", _write("grants.json", b"{")),
    _part("the grants are of another form", "check", _PREFIX + _DDL + '[check]\nenabled = true\ngrants_file = "grants.json"\n', "check.grants_file ({folder}/grants.json): ", _write("grants.json", b'{"may": 1}')),
    _part("a lock file is missing", "plan", _PREFIX + _DDL + '[plan]\nlock_files = ["uv.lock"]\n', "plan.lock_files: {folder}/uv.lock: No such file"),
    _part("a lock file is damaged", "plan", _PREFIX + _DDL + '[plan]\nlock_files = ["uv.lock"]\n', "plan.lock_files: ", _write("uv.lock", b"[")),
    _part("the counted downloads are missing", "plan", _PREFIX + _DDL + '[plan]\ndownloads = "d.csv"\n', "plan.downloads: "),
    _part("the log of queries is missing", "plan", _PREFIX + _DDL + '[plan]\nquery_log = "queries"\n', "plan.query_log: "),
)  # fmt: skip
"""What is seen where it is used: ``config check`` names the part, with exit status 1."""
