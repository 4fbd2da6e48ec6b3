"""``make bench-corpus``: queries that others wrote to test SQL engines, judged by a running Spark.

Each query that Spark accepts is derived as a view: equal types, a refusal with its reason, a wrong
name or type, a null where a column is required, or a crash. Exit status: 0 unless something is wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from benchmarks.corpus import judging, projects, suites
from benchmarks.corpus.sessions import SessionState
from deploy.jdk import find_jdk
from tests.judges.sessions import running_spark
from tests.judges.verdicts import EQUAL, NOT_READ, Verdict

_SUITES = ("spark", "functions", "pyspark", *projects.PROJECTS)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", choices=_SUITES, action="append")
    parser.add_argument(
        "--only", default="", help="scripts whose name matches this regular expression"
    )
    parser.add_argument("--details", type=Path, help="write each verdict as a line of JSON")
    options = parser.parse_args()
    judging.quiet()
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        spark = stack.enter_context(running_spark(_settings(folder)))
        details = stack.enter_context(options.details.open("w")) if options.details else None
        for script in _scripts(spark, options.suite or _SUITES):
            if not re.search(options.only, script.name):
                continue
            for query, verdict in _run(spark, script):
                outcomes[verdict.outcome] += 1
                if verdict.outcome not in (EQUAL, NOT_READ):
                    reasons[f"{verdict.outcome}: {_class_of(verdict.details)}"] += 1
                if details and verdict.outcome != NOT_READ:
                    line = {
                        "script": script.name, "outcome": verdict.outcome,
                        "reason": verdict.details, "query": query,
                    }  # fmt: skip
                    print(json.dumps(line), file=details, flush=True)
    judged = outcomes.total() - outcomes[NOT_READ]
    for reason, count in reasons.most_common(60):
        print(f"{count:6} {reason}")
    for outcome, count in outcomes.most_common():
        print(f"{outcome}: {count}" + (f" ({count / judged:.2%})" if outcome != NOT_READ else ""))
    return int(any(Verdict(outcome).is_wrong for outcome in outcomes))


def _scripts(spark: SparkSession, chosen: Sequence[str]) -> Iterator[suites.Script]:
    if "functions" in chosen:
        yield from suites.function_examples(spark)
    if "spark" in chosen:
        yield from suites.spark_suite(find_jdk())
    if "pyspark" in chosen:
        yield from projects.pyspark_suite()
    for project in projects.PROJECTS:
        if project in chosen:
            yield from projects.project_suite(project)


def _run(spark: SparkSession, script: suites.Script) -> Iterator[tuple[str, Verdict]]:
    """Each query's verdict; drops the script's tables and views afterwards."""
    session = spark.newSession()
    for key, value in script.settings.items():
        _attempt(session, f"SET {key}={value}")
    made = SessionState({"spark.sql.ansi.enabled": "true", **script.settings})
    for statement in script.statements:
        if suites.is_query(statement):
            yield statement, judging.judge(session, statement, made.now)
        elif _attempt(session, statement):
            made.apply(statement, session.catalog.currentDatabase())
    _drop_all(spark.newSession())


def _drop_all(session: SparkSession) -> None:
    """Uses a new session: with a script's settings USER may be a reserved word."""
    for (name,) in session.sql("SHOW DATABASES").collect():
        if name != "default":
            _attempt(session, f"DROP DATABASE `{name}` CASCADE")
    for table in session.catalog.listTables("default"):
        kind = "VIEW" if table.tableType == "VIEW" else "TABLE"
        _attempt(session, f"DROP {kind} default.`{table.name}`")
    for function in session.sql("SHOW USER FUNCTIONS").collect():
        _attempt(session, f"DROP FUNCTION {function[0]}")


def _attempt(session: SparkSession, statement: str) -> bool:
    """Whether Spark ran the statement."""
    try:
        session.sql(statement)
    except (PySparkException, Py4JError, Exception):  # noqa: BLE001 (whatever it is, it was not done)
        return False
    return True


def _class_of(reason: str) -> str:
    """The reason without names and positions, so that similar cases count together."""
    text = re.sub(r"line \d+, column \d+:? ?", "", reason)
    text = re.sub(r"judged\.v:? ?", "", text)
    return text[:110]


def _settings(folder: str) -> Mapping[str, str]:
    return {
        "spark.master": "local[2]",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.sql.session.timeZone": "America/Los_Angeles",
        "spark.driver.memory": "3g",
        "spark.driver.extraJavaOptions": f"-XX:+UseSerialGC -Dderby.system.home={folder}",
    }


if __name__ == "__main__":
    sys.exit(main())
