"""What public suites bring: statements with the settings under which they run.

Nothing of them is kept in the project: they come from the registries, and stay in the cache.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pyspark.sql import SparkSession

from deploy.cache import ensure_entry
from deploy.jars import downloaded_jars
from deploy.jdk import Jdk

SQLGLOT: Final = "30.30.0"
_INPUTS: Final = "sql-tests/inputs/"
_SETTING = re.compile(r"--SET\s+(.+)")
_IMPORT = re.compile(r"--IMPORT\s+(\S+)")
_DIMENSION = re.compile(r"--CONFIG_DIM\d+\s+(.+)")
_QUERY = re.compile(r"\s*[\s(]*(SELECT|WITH|FROM|VALUES|TABLE)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Script:
    """Statements that run one after the other in one session; the queries among them are judged."""

    name: str
    statements: Sequence[str]
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def is_query(statement: str) -> bool:
    return bool(_QUERY.match(_without_comments(statement)))


def _without_comments(statement: str) -> str:
    return re.sub(r"--[^\n]*|/\*.*?\*/", " ", statement, flags=re.DOTALL).strip()


def spark_suite(jdk: Jdk) -> Iterator[Script]:
    """Spark's own SQL tests, from its jar of tests."""
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
    return Script(f"spark/{name}", _statements(text), settings)


def _statements(text: str) -> Sequence[str]:
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


def sqlglot_suite() -> Iterator[Script]:
    """Texts in sqlglot's tests; those that Spark accepts count."""
    folder = _source_of("sqlglot", SQLGLOT)
    for path in sorted(folder.rglob("tests/**/*.sql")):
        yield Script(f"sqlglot/{path.name}", [*_TABLES, *_statements(path.read_text())])
    for path in sorted(folder.rglob("tests/**/test_*.py")):
        texts = dict.fromkeys(
            node.value
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
        queries = [text.rstrip("; \n") for text in texts if is_query(text)]
        if queries:
            yield Script(f"sqlglot/{path.name}", [*_TABLES, *queries])


_COLUMNS: Final = (
    "a INT, b INT, c INT, d STRING, e DOUBLE, x INT, y INT, z INT, id INT, name STRING, col STRING, "
    "arr ARRAY<INT>, ts TIMESTAMP, dt DATE, s STRUCT<a: INT, b: STRING>, m MAP<STRING, INT>"
)
_TABLES: Final = tuple(
    f"CREATE TABLE {name} ({_COLUMNS}) USING parquet"
    for name in ("x", "y", "z", "t", "t1", "t2", "tbl", "foo", "test", "a", "b", "c", "my_table")
)


def _source_of(project: str, version: str) -> Path:
    def prepare(directory: Path) -> None:
        command = (
            sys.executable,
            "-m",
            "pip",
            "download",
            "--no-deps",
            "--quiet",
            "--no-build-isolation",
        )
        subprocess.run(
            [*command, "--no-binary", ":all:", f"{project}=={version}", "--dest", str(directory)],
            check=True,
        )
        (archive,) = directory.glob("*.tar.gz")
        with tarfile.open(archive) as opened:
            opened.extractall(directory, filter="data")
        archive.unlink()

    return ensure_entry(f"{project}-{version}", prepare)
