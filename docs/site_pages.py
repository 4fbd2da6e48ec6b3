"""Shows files of the repository's root as pages of the site; a hook of MkDocs.

A link is written as it works in the repository, ``docs/consuming.md`` or ``../SECURITY.md``. On the
site these files stand beside the pages of ``docs/``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

PAGES: Final = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}

_ROOT_FILE = re.compile(rf"\]\((?:\.\./)?({'|'.join(map(re.escape, PAGES))})(?=[)#])")
_FILE_OF_DOCS = re.compile(r"\]\(docs/(?=[\w/.-]+\.(?:md|png)[)#])")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    root = Path(config.config_file_path).parent
    for source, page in PAGES.items():
        text = (root / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=_FILE_OF_DOCS.sub("](", text)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 (MkDocs names the arguments)
    return _ROOT_FILE.sub(lambda link: f"]({PAGES[link[1]]}", markdown)
