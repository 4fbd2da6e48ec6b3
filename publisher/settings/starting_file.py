"""Writes a first settings file: the necessary settings, and other frequent settings as comments."""

from __future__ import annotations

import json
import tomllib
from typing import Literal, TypeAlias

from pydantic import ValidationError

from publisher.settings.errors import SettingsError
from publisher.settings.problems import problem
from publisher.settings.sections import Settings

CatalogKind: TypeAlias = Literal["hive", "ddl", "spark"]

_CATALOGS: dict[CatalogKind, str] = {
    "hive": """\
[catalog]                             # a Hive Metastore over Thrift
kind = "hive"
uri = {uri}          # several, separated by commas
# [catalog.tls]                       # within TLS; see docs/configuration.md for SASL and Kerberos

[[events]]                            # what tells of a change; without any, snapshots find all of them
kind = "notification-log"
""",
    "ddl": """\
[catalog]                             # a folder of CREATE statements
kind = "ddl"
path = "ddl"                          # relative paths begin at the folder of this file
dialect = "hive"                      # or "spark"

[[events]]                            # what tells of a change; without any, snapshots find all of them
kind = "ddl-folder"
""",
    "spark": """\
[catalog]                             # a catalog of a Spark session: pip install '.[spark]' in the checkout
kind = "spark"
name = "spark_catalog"
# [catalog.conf]
# "spark.sql.catalog.lake" = "org.apache.iceberg.spark.SparkCatalog"
""",
}

_FILE = """\
# Settings of schema-publisher. `schema-publisher config check` says whether they can be used,
# `schema-publisher config show` what holds, and docs/configuration.md what else there is.

[artifacts]
prefix = {prefix}                # begins the name of every package; no other deployment's may begin with it
# exclude = ["staging.*", "*.tmp_*"]  # relations without a package

{catalog}
[state]
url = "sqlite:///state.db"            # one file on a local disk; relative to the folder of this file

[index]                               # where packages go: a folder, which the service serves over HTTP
kind = "static"
path = "index"
# [index]                             # or any index that takes uploads
# kind = "twine"
# repository_url = "https://packages.example/legacy/"
# simple_url = "https://packages.example/simple/"
# username = "schema-publisher"
# password_file = "/run/secrets/index-password"

[http]
host = "127.0.0.1"
port = 8765
"""


def starting_file(prefix: str, kind: CatalogKind, uri: str) -> str:
    """The text of a file that works unchanged.

    Raises:
        SettingsError: ``prefix`` or ``uri`` is invalid.
    """
    catalog = _CATALOGS[kind].format(uri=json.dumps(uri))
    text = _FILE.format(prefix=json.dumps(prefix), catalog=catalog)
    try:
        Settings.model_validate(tomllib.loads(text))
    except ValidationError as error:
        found = tuple(problem(detail, "argument", {}) for detail in error.errors())
        raise SettingsError(found) from None
    return text
