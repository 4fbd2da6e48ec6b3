"""A language server, used as by an editor: JSON-RPC over standard input and output."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from deploy.tool_environments import tool_python

_PROGRAMS: Final[Mapping[str, Sequence[str]]] = {
    "pylsp": ("-m", "pylsp"),
    "pyright": ("-c", "from basedpyright.langserver import main; main()", "--stdio"),
}


class LanguageServer:
    """A server with a folder of programs open; ``paths`` are where their imports are found.

    Attributes:
        name: ``pylsp``, which asks Jedi, or ``pyright``.
    """

    def __init__(self, name: str, folder: Path, paths: Sequence[Path]) -> None:
        self._folder = folder
        self._ids = itertools.count(1)
        extra = [str(path) for path in paths]
        self._settings = {
            "pylsp": {"plugins": {"jedi": {"extra_paths": extra}}},
            "basedpyright": {"analysis": {"extraPaths": extra, "typeCheckingMode": "basic"}},
            "python": {"analysis": {"extraPaths": extra}},
        }
        self._process = subprocess.Popen(
            [str(tool_python("consumer")), *_PROGRAMS[name]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder,
            env={k: v for k, v in os.environ.items() if not k.startswith("PYTHON")},
        )  # fmt: skip

    def __enter__(self) -> Self:
        root = self._folder.as_uri()
        text = {"hover": {"contentFormat": ["plaintext"]}, "signatureHelp": {}}
        self._ask("initialize", {
            "processId": os.getpid(),
            "rootUri": root,
            "capabilities": {"textDocument": text, "workspace": {"configuration": True}},
            "workspaceFolders": [{"uri": root, "name": "consumer"}],
        })  # fmt: skip
        self._tell("initialized", {})
        self._tell("workspace/didChangeConfiguration", {"settings": self._settings})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def open(self, name: str, text: str) -> None:
        document = {"uri": self._uri(name), "languageId": "python", "version": 1, "text": text}
        self._tell("textDocument/didOpen", {"textDocument": document})

    def hover(self, name: str, text: str, word: str) -> str:
        """What is shown when the pointer rests on the last occurrence of ``word``."""
        answer = self._ask("textDocument/hover", self._place(name, text, word))
        contents = (answer or {}).get("contents", "")
        parts = contents if isinstance(contents, list) else [contents]
        return "\n".join(part if isinstance(part, str) else part["value"] for part in parts)

    def completions(self, name: str, text: str, word: str) -> set[str]:
        """What may follow the last occurrence of ``word``."""
        answer = self._ask("textDocument/completion", self._place(name, text, word, after=True))
        items = answer["items"] if isinstance(answer, dict) else answer or []
        return {item["label"].partition("(")[0] for item in items}

    def signature(self, name: str, text: str, word: str) -> str:
        """The signature that is shown behind the last occurrence of ``word``."""
        place = self._place(name, text, word, after=True)
        answer = self._ask("textDocument/signatureHelp", place)
        return "\n".join(found["label"] for found in (answer or {}).get("signatures", []))

    def _uri(self, name: str) -> str:
        return (self._folder / name).as_uri()

    def _place(self, name: str, text: str, word: str, *, after: bool = False) -> dict[str, Any]:
        at = text.rindex(word) + (len(word) if after else 1)
        before = text[:at]
        position = {"line": before.count("\n"), "character": at - before.rfind("\n") - 1}
        return {"textDocument": {"uri": self._uri(name)}, "position": position}

    def _tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def _ask(self, method: str, params: Any) -> Any:
        number = next(self._ids)
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" in message:
                self._answer(message)
            elif message.get("id") == number:
                assert "error" not in message, message
                return message.get("result")

    def _answer(self, message: Mapping[str, Any]) -> None:
        """To what a server asks of an editor; it waits for the answers."""
        if "id" not in message:
            return
        result: Any = None
        if message["method"] == "workspace/configuration":
            result = [self._section(item.get("section", "")) for item in message["params"]["items"]]
        self._send({"id": message["id"], "result": result})

    def _section(self, name: str) -> Any:
        found: Any = self._settings
        for part in name.split(".") if name else ():
            found = found.get(part, {}) if isinstance(found, dict) else {}
        return found

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self._process.stdout
        assert stream is not None
        length = 0
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        assert length, "the language server ended"
        message: dict[str, Any] = json.loads(stream.read(length))
        return message
