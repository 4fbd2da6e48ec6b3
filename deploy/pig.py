"""Pig 0.18 in local mode in a separate process: its answers define the meaning of Pig Latin.

It reads tables of a metastore with HCatLoader, and local files. A schema takes 0.2 to 1 s, rows 1 to
4 s.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.answering_process import AnsweringProcess
from deploy.class_archive import archive_options
from deploy.jars import downloaded_jars, terse_defaults
from deploy.jdk import QUICK_START, find_jdk, launcher_jar
from deploy.metastore import to_xml
from deploy.refused import Refused

_OPENED = (
    *("java.lang", "java.lang.invoke", "java.lang.reflect", "java.util", "java.io", "java.net"),
    *("java.nio", "java.math", "java.text", "sun.nio.ch"),
)
_TRIAL = (
    "a = LOAD 'lines' AS (line:chararray); b = GROUP a BY line;"
    " c = FOREACH b GENERATE group, COUNT(a);"
)


@dataclass(frozen=True, slots=True)
class PigAnswer:
    """The schema and rows of an alias in a script.

    Attributes:
        schema: as ``DESCRIBE`` prints it; None if Pig knows no schema.
        rows: tuples and bags as lists, maps as objects, decimals as text, bytes as text of Latin-1.
    """

    schema: str | None
    rows: Sequence[Sequence[Any]]


class PigQueries(AnsweringProcess):
    """A running Pig."""

    title = "Pig"

    @staticmethod
    def start(directory: Path, *, metastore_uri: str = "") -> PigQueries:
        """Starts Pig with all files in ``directory``; returns when Pig accepts scripts.

        Raises:
            ServerFailed: Pig ended before it accepted scripts.
        """
        root = directory.resolve()
        jdk = find_jdk()
        jars = downloaded_jars(jdk, "pig")
        classpath = (launcher_jar(jdk, ("PigQueries",), jars), terse_defaults(jars), *jars)

        def launch(home: Path, options: Sequence[str]) -> PigQueries:
            command = (
                *(str(jdk.java), *QUICK_START, *options, "-Xmx768m", "-Duser.timezone=UTC"),
                # Java's own messages must not mix with the answers.
                *("-Xlog:disable", "-Xlog:all=warning:stderr"),
                *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
                f"-Djava.io.tmpdir={home / 'tmp'}",
                f"-Dlog4j.configuration={(home / 'log4j.properties').as_uri()}",
                *("-cp", os.pathsep.join(map(str, classpath)), "PigQueries"),
            )
            return _launch(command, home, metastore_uri)

        def trial_run(trial: Path, options: Sequence[str]) -> None:
            with launch(trial, options) as pig:
                (trial / "lines").write_text("a\n")
                pig.answer(_TRIAL, "c")

        return launch(root, archive_options("pig", jdk, classpath, trial_run))

    def answer(self, script: str, alias: str, *, rows: bool = True) -> PigAnswer:
        """Registers the script in a new session, and returns the alias's schema and its rows.

        Raises:
            Refused: Pig could not compile or run it.
            ServerFailed: Pig ended.
        """
        found = self.ask({"script": script, "alias": alias, "rows": rows})
        if "error" in found:
            raise Refused(found["error"], script)
        return PigAnswer(found["schema"], found.get("rows", ()))

    def answer_together(self, scripts: Sequence[tuple[str, str]]) -> Sequence[PigAnswer | Refused]:
        """The answers to several scripts, each with its alias, from one run.

        No two scripts may use the same alias. One run is much faster than many runs, because each run
        polls for the end of its jobs.

        Raises:
            Refused: Pig could not compile one of the scripts.
            ServerFailed: Pig ended.
        """
        asked = [{"script": script, "alias": alias} for script, alias in scripts]
        found = self.ask({"scripts": asked})
        if "error" in found:
            raise Refused(found["error"], "\n".join(script for script, _ in scripts))
        return [
            Refused(answer["error"], script)
            if "error" in answer
            else PigAnswer(answer["schema"], answer["rows"])
            for (script, _), answer in zip(scripts, found["answers"], strict=True)
        ]


def _launch(command: Sequence[str], home: Path, metastore_uri: str) -> PigQueries:
    (home / "tmp").mkdir(parents=True, exist_ok=True)
    site = home / "hive-site.xml"
    site.write_text(to_xml(_hive_site(home, metastore_uri)))
    (home / "log4j.properties").write_text(_LOGGING)
    pig = PigQueries((*command, str(site)), home)
    pig.read_answer()
    return pig


_LOGGING = """\
log4j.rootLogger=ERROR,A
log4j.appender.A=org.apache.log4j.ConsoleAppender
log4j.appender.A.target=System.err
log4j.appender.A.layout=org.apache.log4j.PatternLayout
log4j.appender.A.layout.ConversionPattern=%p %c %m%n
"""


def _hive_site(home: Path, metastore_uri: str) -> dict[str, str]:
    return {
        "hive.metastore.uris": metastore_uri,
        "hadoop.tmp.dir": str(home / "tmp"),
        "fs.defaultFS": "file:///",
    }
