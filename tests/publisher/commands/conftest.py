from pathlib import Path

import pytest

from tests.publisher.commands.folder import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture
def published(folder: Folder) -> Folder:
    assert folder.run("snapshot").status == 0
    return folder
