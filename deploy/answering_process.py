"""A program that answers each line of JSON with another line of JSON until it is stopped."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, ClassVar

from deploy.errors import ServerFailed
from deploy.stopping import StopsOnExit

_SHOWN_LINES = 25


class AnsweringProcess(StopsOnExit):
    """A running program that answers requests. Only one thread may use it.

    As a context manager it stops the program at the end.

    Attributes:
        title: the program's name in errors.
    """

    title: ClassVar[str]

    def __init__(self, command: Sequence[str], directory: Path) -> None:
        """Creates ``directory``, starts the program there, and keeps its log in it."""
        directory.mkdir(parents=True, exist_ok=True)
        self._log = directory / f"{self.title.lower()}.log"
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                cwd=directory,
                start_new_session=True,
            )

    def ask(self, request: object) -> Any:
        """The answer to a request.

        Raises ``ServerFailed`` if the program ended without an answer.
        """
        try:
            self._requests.write(json.dumps(request).encode() + b"\n")
            self._requests.flush()
        except BrokenPipeError:
            pass  # The program ended; read_answer reports the end of its log.
        return self.read_answer()

    def read_answer(self) -> Any:
        """The next line that the program prints, decoded."""
        line = self._answers.readline()
        if not line:
            self.stop()
            last = "\n".join(self._log.read_text(errors="replace").splitlines()[-_SHOWN_LINES:])
            raise ServerFailed(self.title, "ended", self._log, last, "the log above says why")
        return json.loads(line)

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
