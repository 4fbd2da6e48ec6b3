"""Queries in the tests and documentation of Python projects, from their sources in the registry.

They are string constants of Python files, calls of ``.sql(…)`` in documentation, and SQL files. Some
tables are made up here; Spark refuses queries of other tables, which do not count.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pyspark

from benchmarks.corpus.suites import Script, is_query, statements
from deploy.cache import ensure_entry

PROJECTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "sqlglot": "30.30.0",
        "sqlframe": "4.10.0",
        "dbt-spark": "1.11.0",
        "dbt-tests-adapter": "1.20.0",
    }
)
_COLUMNS: Final = (
    "a INT, b INT, c INT, d STRING, e DOUBLE, x INT, y INT, z INT, id INT, name STRING, col STRING, "
    "arr ARRAY<INT>, ts TIMESTAMP, dt DATE, s STRUCT<a: INT, b: STRING>, m MAP<STRING, INT>"
)
_EMPLOYEES: Final = (
    (
        "CREATE TABLE employee (employee_id INT, fname STRING, lname STRING, age INT, store_id INT,"
        " active BOOLEAN) USING parquet"
    ),
    (
        "CREATE TABLE store (store_id INT, store_name STRING, district_id INT, num_sales INT)"
        " USING parquet"
    ),
    (
        "CREATE TABLE district (district_id INT, district_name STRING, manager_name STRING)"
        " USING parquet"
    ),
)
_TABLES: Final = (
    *(
        f"CREATE TABLE {name} ({_COLUMNS}) USING parquet"
        for name in (
            "x",
            "y",
            "z",
            "t",
            "t1",
            "t2",
            "tbl",
            "foo",
            "test",
            "a",
            "b",
            "c",
            "my_table",
        )
    ),
    *_EMPLOYEES,
)
_CALL: Final = re.compile(r"""\.sql\(\s*r?(\"{3}|'{3}|"|')(.+?)\1""", re.DOTALL)
_FENCE: Final = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
_REFERENCE: Final = re.compile(r"\{\{\s*(?:ref|source)\((?:.*,)?\s*['\"](\w+)['\"]\s*\)\s*\}\}")
_JINJA: Final = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)


def project_suite(project: str) -> Iterator[Script]:
    """One script for each set of tables, since tables take longer to create than queries to analyse."""
    folder = source_of(project, PROJECTS[project])
    queries: dict[str, dict[str, None]] = {}
    for path in sorted(folder.rglob("*")):
        texts = [text for text in map(_plain, _texts_of(path)) if is_query(text)]
        queries.setdefault(_schema_of(path), {}).update(dict.fromkeys(texts))
    for schema, found in queries.items():
        tables = _tables_of_tpc(schema) if schema else _TABLES
        yield Script(f"{project}/{schema}", [*tables, *found])


def pyspark_suite() -> Iterator[Script]:
    """The calls of ``spark.sql`` in PySpark's own documentation."""
    root = Path(pyspark.__file__).parent
    texts = [
        text
        for path in sorted((root / "sql").rglob("*.py"))
        for text in _calls_in(path.read_text())
        if "{" not in text
    ]
    yield Script("pyspark/documentation", [*_TABLES, *dict.fromkeys(texts)])


def _schema_of(path: Path) -> str:
    """The name of sqlglot's constant with the tables of the file's queries."""
    plain = str(path).replace("-", "").lower()
    return next((f"{n.upper()}_SCHEMA" for n in ("tpcds", "tpch") if n in plain), "")


def _texts_of(path: Path) -> Sequence[str]:
    match path.suffix:
        case ".sql":
            return statements(path.read_text())
        case ".py" | ".pyi":
            return [*_constants(path.read_text()), *_calls_in(path.read_text())]
        case ".md":
            fences = _FENCE.findall(path.read_text())
            of_sql = [s for kind, text in fences if kind == "sql" for s in statements(text)]
            return [
                *of_sql,
                *(s for kind, text in fences if kind != "sql" for s in _calls_in(text)),
            ]
        case _:
            return ()


def _constants(source: str) -> Iterator[str]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _calls_in(text: str) -> Sequence[str]:
    """The texts of ``.sql("…")``; a doctest continues after three dots."""
    return [re.sub(r"\n\s*\.\.\.", "\n", found) for _, found in _CALL.findall(text)]


def _plain(text: str) -> str:
    """The last statement, with Jinja's references replaced by names of tables."""
    return _JINJA.sub(" ", _REFERENCE.sub(r"\1", text)).strip().rstrip("; \n")


def _tables_of_tpc(name: str) -> Sequence[str]:
    """The tables from the helpers of sqlglot's tests."""
    (helpers,) = source_of("sqlglot", PROJECTS["sqlglot"]).rglob("tests/helpers.py")
    for node in ast.parse(helpers.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            schema: dict[str, dict[str, str]] = ast.literal_eval(node.value)
            return [
                f"CREATE TABLE {table} ({', '.join(f'{c} {t}' for c, t in columns.items())})"
                " USING parquet"
                for table, columns in schema.items()
            ]
    raise ValueError(f"sqlglot's helpers have no {name}")


def source_of(project: str, version: str) -> Path:
    def prepare(directory: Path) -> None:
        command = (sys.executable, "-m", "pip", "download", "--no-deps", "--quiet")
        subprocess.run(
            [*command, "--no-binary", ":all:", f"{project}=={version}", "--dest", str(directory)],
            check=True,
        )
        (archive,) = directory.glob("*.tar.gz")
        with tarfile.open(archive) as opened:
            opened.extractall(directory, filter="data")
        archive.unlink()

    return ensure_entry(f"{project}-{version}", prepare)
