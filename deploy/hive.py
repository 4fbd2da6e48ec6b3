"""Hive's compiler and executor in a separate process: its answers define the meaning of HiveQL.

Its catalog is in memory. A query takes 50 to 300 ms, a query with a shuffle about 2 s.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.answering_process import AnsweringProcess
from deploy.class_archive import archive_options
from deploy.jars import downloaded_jars
from deploy.jdk import QUICK_START, find_jdk, launcher_jar
from deploy.metastore import to_xml
from deploy.refused import Refused

_OPENED = (
    *("java.lang", "java.lang.invoke", "java.lang.reflect", "java.util", "java.io", "java.net"),
    *("java.nio", "java.time", "java.text", "java.util.concurrent", "java.util.regex"),
    *("java.util.concurrent.atomic", "sun.nio.ch"),
)


_NOTIFICATION_LOG = {"hive.metastore.transactional.event.listeners": "NotificationLog"}


@dataclass(frozen=True, slots=True)
class HiveAnswer:
    """The result of one statement.

    Attributes:
        columns: names and Hive type texts; empty for a statement that returns no rows.
        rows: each as Hive prints it, with columns separated by tabs and nulls as ``NULL``.
    """

    columns: Sequence[tuple[str, str]]
    rows: Sequence[str]


LONG_RUN_MEGABYTES = 3072
"""The heap for a run of half an hour with many statements."""


class HiveQueries(AnsweringProcess):
    """A running Hive 4.0.1."""

    title = "Hive"

    @staticmethod
    def start(
        directory: Path, *, metastore_port: int | None = None, heap_megabytes: int = 1024
    ) -> HiveQueries:
        """Starts Hive with all files in ``directory``; returns when Hive accepts statements.

        With ``metastore_port``, Hive also serves its catalog there, as a metastore of Hive 4 with a
        notification log. Each statement leaves data in memory: 1024 megabytes suffice for about a
        thousand statements.

        Raises:
            ServerFailed: Hive ended before it accepted statements.
        """
        root = directory.resolve()
        jdk = find_jdk()
        jars = downloaded_jars(jdk, "hive")
        classpath = (launcher_jar(jdk, ("HiveQueries",), jars), *jars)

        log = () if metastore_port is None else (launcher_jar(jdk, ("NotificationLog",), jars),)

        def launch(home: Path, options: Sequence[str]) -> HiveQueries:
            port = metastore_port if home == root else None
            command = (
                *(str(jdk.java), *QUICK_START, *options, f"-Xmx{heap_megabytes}m"),
                # Java's own messages must not mix with the answers.
                *("-Xlog:disable", "-Xlog:all=warning:stderr"),
                *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
                "-Dderby.stream.error.field=java.lang.System.err",
                "-Dorg.apache.logging.log4j.level=OFF",
                # Jars that the class archive does not cover come last.
                *("-cp", os.pathsep.join(map(str, (*classpath, *log))), "HiveQueries"),
            )
            return _launch(command, home, port)

        def trial_run(trial: Path, options: Sequence[str]) -> None:
            with launch(trial, options) as hive:
                hive.run("CREATE TABLE t (id INT)", "SELECT id FROM t")

        return launch(root, archive_options("hive", jdk, classpath, trial_run))

    def run(self, *statements: str) -> Sequence[HiveAnswer | Refused]:
        """The answers to the statements, which run in order; a failure does not stop the others.

        Raises:
            ServerFailed: Hive ended.
        """
        return _answers(statements, self.ask({"sql": list(statements)}))

    def compile(self, *statements: str) -> Sequence[HiveAnswer | Refused]:
        """The columns of each statement, without running it.

        Raises:
            ServerFailed: Hive ended.
        """
        return _answers(statements, self.ask({"sql": list(statements), "compile": True}))

    def answer(self, statement: str) -> HiveAnswer:
        """Runs one statement.

        Raises:
            Refused: Hive could not run it.
            ServerFailed: Hive ended.
        """
        (answer,) = self.run(statement)
        if isinstance(answer, Refused):
            raise answer
        return answer


def _answers(statements: Sequence[str], answered: Any) -> Sequence[HiveAnswer | Refused]:
    return [
        Refused(answer["error"], sql)
        if "error" in answer
        else HiveAnswer([(name, type_) for name, type_ in answer["columns"]], answer["rows"])
        for sql, answer in zip(statements, answered["answers"], strict=True)
    ]


def _launch(command: Sequence[str], home: Path, metastore_port: int | None) -> HiveQueries:
    home.mkdir(parents=True, exist_ok=True)
    site = home / "hive-site.xml"
    served = {} if metastore_port is None else _NOTIFICATION_LOG
    site.write_text(to_xml(_hive_site(home) | served))
    arguments = () if metastore_port is None else (str(metastore_port),)
    hive = HiveQueries((*command, str(site), *arguments), home)
    hive.read_answer()
    return hive


def _hive_site(home: Path) -> dict[str, str]:
    folders = {
        "hive.exec.scratchdir": "scratch",
        "hive.exec.local.scratchdir": "local-scratch",
        "hive.downloaded.resources.dir": "resources",
        "hive.metastore.warehouse.dir": "warehouse",
        "hive.metastore.warehouse.external.dir": "external",
        "mapreduce.cluster.local.dir": "mapreduce",
        "mapreduce.jobtracker.staging.root.dir": "staging",
        "hadoop.tmp.dir": "tmp",
    }
    return {key: str(home / name) for key, name in folders.items()} | {
        "fs.defaultFS": "file:///",
        "javax.jdo.option.ConnectionDriverName": "org.apache.derby.jdbc.EmbeddedDriver",
        "javax.jdo.option.ConnectionURL": "jdbc:derby:memory:hive;create=true",
        "hive.metastore.schema.verification": "false",
        "datanucleus.schema.autoCreateAll": "true",
        "hive.execution.engine": "mr",
        "mapreduce.framework.name": "local",
        # By default Hive checks each second whether a job has ended: most of a small job's time.
        "hive.exec.counters.pull.interval": "10",
        # The buffer of each task that fails stays in memory.
        "mapreduce.task.io.sort.mb": "1",
        "hive.support.concurrency": "false",
        "hive.txn.manager": "org.apache.hadoop.hive.ql.lockmgr.DummyTxnManager",
        "hive.stats.autogather": "false",
        "hive.notification.event.poll.interval": "0s",
        "hive.server2.materializedviews.registry.impl": "DUMMY",
        "hive.materializedview.rewriting": "false",
        "hive.query.results.cache.enabled": "false",
        "hive.query.reexecution.enabled": "false",
        # A map join starts a second JVM.
        "hive.auto.convert.join": "false",
        # If the optimiser cannot compile a statement, that is an error: no other compiler tries it.
        "hive.cbo.fallback.strategy": "NEVER",
    }
