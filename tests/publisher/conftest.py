"""Fixtures for folders of a deployment; each test learns its own secrets, which a process otherwise shares."""

from __future__ import annotations

from pathlib import Path

import pytest

from publisher.redaction import SECRETS, Redactor
from tests.publisher.commands.folder import Folder


@pytest.fixture(autouse=True)
def _secrets_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in vars(Redactor()).items():
        monkeypatch.setattr(SECRETS, name, value)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture
def published(folder: Folder) -> Folder:
    assert folder.run("snapshot").status == 0
    return folder
