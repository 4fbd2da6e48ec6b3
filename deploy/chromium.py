"""Finds a headless Chromium for the tests of pages: an installed Chromium, or Debian's.

Without an installed Chromium, Debian's packages are downloaded and unpacked in the cache folder, once
and without root: the browser, and the libraries and fonts that the machine lacks. ``python -m deploy.chromium`` prepares it and prints its path.
"""

from __future__ import annotations

import logging
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from deploy.cache import cache_directory, ensure_entry, fingerprint
from deploy.errors import MissingPrerequisite, PreparationFailed, StackError

_log = logging.getLogger(__name__)
_INSTALLED = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_PACKAGE = "chromium-headless-shell"
_FONTS = "fonts-dejavu-core"
_PROGRAM = Path("usr/lib/chromium/chromium-headless-shell")
_INSTALL_CHROMIUM = "install Chromium so that it is on PATH; on Debian: apt-get install chromium"
_REACH_THE_ARCHIVE = f"check that this machine reaches Debian's packages, or {_INSTALL_CHROMIUM}"
# "Inst NAME (VERSION …" is a package that the machine lacks. Before an upgrade's "(" stands the old version.
_LACKING = re.compile(r"^Inst (\S+) \((\S+) ", re.MULTILINE)
_LAUNCHER = """\
#!/bin/sh
here={here}
export LD_LIBRARY_PATH="{libraries}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"
export FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/{program}" "$@"
"""
# Only these fonts, so that pictures of a page are the same on each machine.
_FONT_SETTINGS = """\
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
<dir>{here}/usr/share/fonts</dir>
<cachedir>{here}/font-cache</cachedir>
<alias><family>system-ui</family><prefer><family>DejaVu Sans</family></prefer></alias>
<alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
"""


def find_chromium() -> Path:
    """The path of a Chromium that works on this machine.

    Raises:
        MissingPrerequisite: the machine has none, and no ``apt-get``.
        PreparationFailed: Debian's packages could not be fetched.
    """
    named = os.environ.get("CHROMIUM")
    found = (shutil.which(name) for name in ([named] if named else _INSTALLED))
    installed = next((path for path in found if path), None)
    if installed is not None:
        return Path(installed)
    if named or not (shutil.which("apt-get") and shutil.which("dpkg")):
        raise MissingPrerequisite(named or "Chromium", _INSTALL_CHROMIUM)
    entry = f"chromium-{fingerprint(_LAUNCHER, _FONT_SETTINGS, platform.machine())}"
    return (
        ensure_entry(entry, lambda folder: _fetch(folder, cache_directory() / entry)) / "chromium"
    )


def _fetch(folder: Path, place: Path) -> None:
    """Unpacks Chromium into ``folder``; the caller moves it to ``place`` afterwards."""
    _log.info("fetching Chromium from Debian's packages, once")
    with tempfile.TemporaryDirectory() as downloads:
        try:
            _download(Path(downloads), ())
        except PreparationFailed:
            # The machine's lists of packages are old, or absent.
            _download(Path(downloads), _fresh_lists(Path(downloads) / "apt"))
        for package in sorted(Path(downloads).glob("*.deb")):
            _run(("dpkg", "-x", str(package), str(folder)), folder)
    (folder / "fonts.conf").write_text(_FONT_SETTINGS.format(here=place))
    launcher = folder / "chromium"
    libraries = ":".join(f"$here/{path}" for path in _library_folders(folder))
    text = _LAUNCHER.format(here=shlex.quote(str(place)), libraries=libraries, program=_PROGRAM)
    launcher.write_text(text)
    launcher.chmod(0o755)


def _download(folder: Path, options: Sequence[str]) -> None:
    wanted = ("install", "--simulate", "--no-install-recommends", _PACKAGE)
    said = _run(("apt-get", *options, *wanted), folder)
    lacking = [f"{name}={version}" for name, version in _LACKING.findall(said)]
    _run(("apt-get", *options, "download", "--quiet", *lacking, _FONTS), folder)


def _fresh_lists(folder: Path) -> Sequence[str]:
    """Fetches apt's lists of packages into ``folder``; returns the options with which apt uses them."""
    for needed in ("state/lists/partial", "cache/archives/partial"):
        (folder / needed).mkdir(parents=True)
    options = (
        *("-o", f"Dir::State={folder}/state", "-o", "Dir::State::status=/var/lib/dpkg/status"),
        *("-o", f"Dir::Cache={folder}/cache"),
    )
    _run(("apt-get", *options, "update", "--quiet"), folder)
    return options


def _library_folders(folder: Path) -> Iterator[Path]:
    for libraries in sorted({path.parent for path in (folder / "usr/lib").rglob("*.so*")}):
        yield libraries.relative_to(folder)


def _run(command: Sequence[str], folder: Path) -> str:
    environment = {**os.environ, "LC_ALL": "C"}
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if ended.returncode:
        raise PreparationFailed(command[:3], ended.stderr[-2000:], _REACH_THE_ARCHIVE)
    return ended.stdout


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        print(find_chromium())
    except StackError as error:
        sys.exit(f"{error}\n{error.hint}")


if __name__ == "__main__":
    main()
