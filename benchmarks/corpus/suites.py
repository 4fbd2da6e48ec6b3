"""Public test suites: statements with their settings.

The project contains none of them: they come from the registries, and stay in the cache.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from pyspark.sql import SparkSession

from deploy.jars import downloaded_jars
from deploy.jdk import Jdk

_INPUTS: Final = "sql-tests/inputs/"
_SETTING = re.compile(r"--SET\s+(.+)")
_IMPORT = re.compile(r"--IMPORT\s+(\S+)")
_DIMENSION = re.compile(r"--CONFIG_DIM\d+\s+(.+)")
_QUERY = re.compile(r"\s*[\s(]*(SELECT|WITH|FROM|VALUES|TABLE)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Script:
    """Statements that run in order in one session; the queries among them are judged."""

    name: str
    statements: Sequence[str]
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def is_query(statement: str) -> bool:
    return bool(_QUERY.match(_without_comments(statement)))


def _without_comments(statement: str) -> str:
    return re.sub(r"--[^\n]*|/\*.*?\*/", " ", statement, flags=re.DOTALL).strip()


def spark_suite(jdk: Jdk) -> Iterator[Script]:
    """Spark's own SQL tests, from its test jar."""
    (jar,) = downloaded_jars(jdk, "corpus")
    with zipfile.ZipFile(jar) as archive:
        files = {
            name.partition(_INPUTS)[2]: archive.read(name).decode()
            for name in archive.namelist()
            if _INPUTS in name and name.endswith(".sql")
        }
    for name in sorted(files):
        yield _script(name, files)


def _script(name: str, files: Mapping[str, str]) -> Script:
    text = files[name]
    for imported in _IMPORT.findall(text):
        text = files.get(imported, "") + "\n" + text
    settings: dict[str, str] = {}
    if name.startswith("nonansi/"):
        settings["spark.sql.ansi.enabled"] = "false"
    for line in (*_SETTING.findall(text), *_DIMENSION.findall(text)[:1]):
        for pair in re.split(r",(?=\s*spark\.)", line):
            key, _, value = pair.partition("=")
            settings[key.strip()] = value.strip()
    return Script(f"spark/{name}", statements(text), settings)


def statements(text: str) -> Sequence[str]:
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("--")]
    parts = re.split(r"(?<!\\);", "\n".join(lines))
    return [part.replace("\\;", ";").strip() for part in parts if part.strip()]


def function_examples(spark: SparkSession) -> Iterator[Script]:
    """The queries in the documentation of each built-in function."""
    for (name,) in spark.sql("SHOW SYSTEM FUNCTIONS").collect():
        rows = spark.sql(f"DESCRIBE FUNCTION EXTENDED `{name}`").collect()
        text = "\n".join(str(row[0]) for row in rows)
        _, _, examples = text.partition("Examples:")
        queries = re.findall(r"^\s*>\s(.+?);\s*$", examples, re.MULTILINE | re.DOTALL)
        queries = [q for q in queries if is_query(q)]
        if queries:
            yield Script(f"function/{name}", queries)
