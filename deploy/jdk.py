"""Finds Java, runs its tools, and compiles our launchers against a server's jars."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deploy.cache import ensure_entry, fingerprint
from deploy.errors import MissingPrerequisite, PreparationFailed

SOURCES = Path(__file__).parent / "java"
MIN_JAVA_VERSION = 17
# For servers that live for one test run: the compilation of better code would take longer than it saves.
QUICK_START = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
LOG_TO_STANDARD_OUTPUT = """\
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d %p %c{1}: %m%n
"""
_INSTALLED = Path("/usr/lib/jvm")
_INSTALL_JAVA = (
    f"install a JDK, version {MIN_JAVA_VERSION} or newer, and set JAVA_HOME or PATH to it"
)


@dataclass(frozen=True, slots=True)
class Jdk:
    java: Path
    javac: Path
    version: str


def find_jdk() -> Jdk:
    """The JDK of ``JAVA_HOME``, or else the JDK of the ``java`` on ``PATH``."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if found is None:
        raise MissingPrerequisite("Java", _INSTALL_JAVA)
    java = Path(found).resolve()
    version = _version(java)
    if int(version.split(".")[0]) < MIN_JAVA_VERSION:
        raise MissingPrerequisite(f"Java {MIN_JAVA_VERSION} (found {version})", _INSTALL_JAVA)
    javac = java.with_name("javac")
    if not javac.exists():
        raise MissingPrerequisite(f"javac (next to {java})", _INSTALL_JAVA)
    return Jdk(java, javac, version)


def find_newer_jdk(version: int) -> Jdk:
    """A JDK of at least ``version``: the JDK of ``find_jdk``, or else the newest installed one.

    Raises:
        MissingPrerequisite: no JDK is new enough.
    """
    found = find_jdk()
    beside = (path.parent.parent for path in _INSTALLED.glob("*/bin/javac"))
    known = [found, *(_jdk_of(home) for home in beside if (home / "release").exists())]
    newest = max(known, key=lambda jdk: _feature(jdk.version))
    chosen = found if _feature(found.version) >= version else newest
    if _feature(chosen.version) < version:
        hint = f"install a JDK, version {version} or newer, and set JAVA_HOME to it"
        raise MissingPrerequisite(f"Java {version} (found {chosen.version})", hint)
    return chosen


def _jdk_of(home: Path) -> Jdk:
    java = (home / "bin" / "java").resolve()
    return Jdk(java, java.with_name("javac"), _version(java))


def _feature(version: str) -> int:
    return int(version.split(".", 1)[0])


def launcher_jar(jdk: Jdk, sources: Sequence[str], classpath: Sequence[Path]) -> Path:
    """A jar of our own classes. It is compiled once for each content, Java version and set of libraries.

    A class archive works with jars, but not with folders.
    """
    paths = [SOURCES / f"{name}.java" for name in sources]
    libraries = " ".join(jar.name for jar in classpath)
    key = fingerprint(jdk.version, libraries, *(path.read_bytes() for path in paths))

    def compile_and_pack(directory: Path) -> None:
        classes = directory / "classes"
        run_tool(
            [
                *(str(jdk.javac), "-proc:none", "-nowarn", "-d", str(classes)),
                *("-cp", os.pathsep.join(map(str, classpath)), *map(str, paths)),
            ],
            "report this: the launcher does not compile against these versions",
        )
        with zipfile.ZipFile(directory / "launcher.jar", "w") as jar:
            for compiled in sorted(classes.rglob("*.class")):
                jar.write(compiled, compiled.relative_to(classes))
        shutil.rmtree(classes)

    return ensure_entry(f"launcher-{sources[-1]}-{key}", compile_and_pack) / "launcher.jar"


def run_tool(command: Sequence[str], hint: str) -> str:
    """The output of the command; raises ``PreparationFailed`` with the hint if the command fails."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise PreparationFailed(command, done.stdout, hint)
    return done.stdout


def _version(java: Path) -> str:
    # Reading the release file takes no time; running java takes a tenth of a second.
    release = java.parent.parent / "release"
    text = (
        release.read_text()
        if release.exists()
        else run_tool([str(java), "-version"], _INSTALL_JAVA)
    )
    stated = re.search(r'(?:JAVA_VERSION=|version )"([0-9][^"]*)"', text)
    if stated is None:
        raise MissingPrerequisite(f"the version of {java}", _INSTALL_JAVA)
    return stated[1]
