"""Apache Avro for Java in a process of its own: the judge of what Avro's bytes mean.

Its jars are those that pyspark brings. It reads some 20,000 values a second.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeAlias

from deploy.errors import ServerFailed
from deploy.jars import avro_jars
from deploy.jdk import QUICK_START, find_jdk, launcher_jar

_SHOWN_LINES = 25


@dataclass(frozen=True, slots=True)
class Reading:
    """Values that one schema's owner wrote and another's reads.

    Attributes:
        logical: values pass through Java's classes of logical types, which may refuse them.
    """

    writer: str
    reader: str
    data: Sequence[bytes]
    logical: bool = False


@dataclass(frozen=True, slots=True)
class AvroRefused:
    """Java raised an error where it should have read a value."""

    message: str

    @property
    def is_failure(self) -> bool:
        """It could not take in the schemas themselves, and so judges nothing."""
        return self.message.startswith("schema: ") or "StackOverflowError" in self.message


AvroAnswer: TypeAlias = bytes | AvroRefused
"""What was read, written anew with the reader's schema, or why it was not."""


class AvroJudge:
    """A running Java; as a context manager it is stopped at the end. Not for two threads."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self._process = process
        self._log = log

    @staticmethod
    def start(directory: Path) -> AvroJudge:
        """Keeps its log in ``directory``."""
        jdk = find_jdk()
        jars = avro_jars()
        classpath = (launcher_jar(jdk, ("AvroJudge",), jars), *jars)
        directory.mkdir(parents=True, exist_ok=True)
        log = directory / "avro.log"
        # Damaged lengths make it ask for arrays of any size: little memory answers quickly.
        options = (*QUICK_START, "-Xmx256m", "-Xlog:disable", "-Xlog:all=warning:stderr")
        with log.open("ab") as output:
            process = subprocess.Popen(
                [str(jdk.java), *options, "-cp", os.pathsep.join(map(str, classpath)), "AvroJudge"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                cwd=directory,
                start_new_session=True,
            )
        return AvroJudge(process, log)

    def read(self, readings: Sequence[Reading]) -> Sequence[Sequence[AvroAnswer]]:
        """One answer for each value of each reading.

        Raises:
            ServerFailed: Java ended.
        """
        places: dict[str, int] = {}
        for reading in readings:
            places.setdefault(reading.writer, len(places))
            places.setdefault(reading.reader, len(places))
        request = {
            "schemas": list(places),
            "readings": [
                {
                    "writer": places[reading.writer],
                    "reader": places[reading.reader],
                    "logical": reading.logical,
                    "data": [data.hex() for data in reading.data],
                }
                for reading in readings
            ],
        }
        return [[_answer(each) for each in found] for found in self._ask(request)["answers"]]

    def stop(self) -> None:
        for pipe in (self._requests, self._answers):
            pipe.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    @property
    def _requests(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _answers(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    def _ask(self, request: object) -> Any:
        try:
            self._requests.write(json.dumps(request).encode() + b"\n")
            self._requests.flush()
        except BrokenPipeError:
            pass  # It ended; what it last said tells why.
        line = self._answers.readline()
        if not line:
            self.stop()
            last = "\n".join(self._log.read_text(errors="replace").splitlines()[-_SHOWN_LINES:])
            raise ServerFailed("Avro", "ended", self._log, last, "the log above says why")
        return json.loads(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def _answer(answer: dict[str, str]) -> AvroAnswer:
    if "error" in answer:
        return AvroRefused(answer["error"])
    return bytes.fromhex(answer["data"])
