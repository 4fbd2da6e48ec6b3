"""A machine on which somebody follows docs/deployment.md: its folders and ports stand for those of the document."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from deploy.ports import free_ports
from tests.documents import ROOT
from tests.waiting import eventually

_FOLDERS = ("/etc/schema-publisher", "/var/lib/schema-publisher", "/run/secrets")
"""Each may also be the beginning of a longer name."""
_PROGRAMS = "/opt/schema-publisher/bin"


@dataclass(frozen=True)
class Machine:
    root: Path
    port: int
    operations_port: int

    @classmethod
    def empty(cls, root: Path) -> Machine:
        for folder in _FOLDERS:
            (root / folder[1:]).parent.mkdir(parents=True, exist_ok=True)
        (root / "var/lib/schema-publisher").mkdir()
        (root / "deploy").mkdir()
        for name in ("systemd", "compose"):
            subprocess.run(["cp", "-r", ROOT / "deploy" / name, root / "deploy"], check=True)
        return cls(root, *free_ports(2))

    def here(self, text: str) -> str:
        """A text of the document, a unit or a container, with this machine's places."""
        text = text.replace(_PROGRAMS, str(Path(sys.executable).parent))
        # Not within a longer path: an address of four slashes is one.
        folders = "|".join(_FOLDERS)
        text = re.sub(rf"(?<![\w.])({folders})", rf"{self.root}\1", text)
        text = text.replace("sqlite:////", "sqlite:///") if str(self.root) in text else text
        return text.replace("8765", str(self.port)).replace("8766", str(self.operations_port))

    def type(self, block: str) -> str:
        """Types a block in a shell; its status must be 0."""
        ended = subprocess.run(
            [which("bash") or "bash", "-euc", self.here(block)],
            cwd=self.root,
            env=self._environment({}),
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    def succeeds(self, block: str) -> bool:
        try:
            self.type(block)
        except AssertionError:
            return False
        return True

    @contextmanager
    def running(self, command: Sequence[str], environment: Mapping[str, str]) -> Iterator[None]:
        """The service, as its unit or container starts it."""
        changed = {name: self.here(value) for name, value in environment.items()}
        log = self.root / "service.log"
        with (
            log.open("wb") as errors,
            subprocess.Popen(
                [self.here(part) for part in command],
                cwd=self.root,
                env=self._environment(changed),
                stdout=subprocess.PIPE,
                stderr=errors,
            ) as service,
        ):
            try:
                assert service.stdout is not None
                assert service.stdout.readline(), log.read_text()
                yield
            finally:
                service.terminate()
        assert service.returncode == 0, log.read_text()

    def localize(self, file: str) -> None:
        """Gives a file that was installed as it is this machine's places."""
        path = self.root / file
        path.write_text(self.here(path.read_text(encoding="utf-8")))

    def status(self, path: str, *, operations: bool = False, token: str = "") -> int:
        port = self.operations_port if operations else self.port
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
        try:
            with urllib.request.urlopen(request) as response:
                return int(response.status)
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code

    def downloads(self) -> set[str]:
        return {file.name for file in (self.root / "packages").glob("*.whl")}

    def eventually_types(self, block: str) -> None:
        assert eventually(lambda: self.succeeds(block)), self.type(block)

    def _environment(self, more: Mapping[str, str]) -> Mapping[str, str]:
        programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        return {"PATH": programs, "HOME": str(self.root), "PIP_CONFIG_FILE": os.devnull, **more}
