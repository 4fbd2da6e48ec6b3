"""Java: where it is, the jars that a server runs on, and our launchers compiled against them."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from deploy.cache import fingerprint, prepared
from deploy.errors import MissingPrerequisite, PreparationFailed

_log = logging.getLogger(__name__)
SOURCES = Path(__file__).parent / "java"
OLDEST_JAVA = 17
# For servers of a few hundred megabytes that live for a test run: no time for the best code.
QUICK_START = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
LOG_TO_STANDARD_OUTPUT = """\
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d %p %c{1}: %m%n
"""
_INSTALL_JAVA = f"install a JDK, version {OLDEST_JAVA} or newer, and set JAVA_HOME or PATH to it"
_INSTALL_MAVEN = "install Apache Maven 3.6 or newer and put mvn on PATH"
_ONLY_SPARK_NEEDS = (
    *("arrow-", "breeze", "jakarta.", "jersey-", "json4s-", "kubernetes-", "netty-", "orc-"),
    *("parquet-", "rocksdbjni-", "scala-", "spark-", "spire", "vertx-", "volcano-"),
)
_MAVEN_GOAL = ("dependency:copy-dependencies", "-DincludeScope=runtime")


@dataclass(frozen=True, slots=True)
class Jdk:
    java: Path
    javac: Path
    version: str


def find_jdk() -> Jdk:
    """The JDK of ``JAVA_HOME``, else that of the ``java`` on ``PATH``."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if found is None:
        raise MissingPrerequisite("Java", _INSTALL_JAVA)
    java = Path(found).resolve()
    version = _version(java)
    if int(version.split(".")[0]) < OLDEST_JAVA:
        raise MissingPrerequisite(f"Java {OLDEST_JAVA} (found {version})", _INSTALL_JAVA)
    javac = java.with_name("javac")
    if not javac.exists():
        raise MissingPrerequisite(f"javac (beside {java})", _INSTALL_JAVA)
    return Jdk(java, javac, version)


def hive_jars() -> tuple[Path, ...]:
    """The jars with which pyspark brings Hive's metastore, and few that it does not need.

    Hive looks through all of them for each of its persistent classes: fewer start it faster.
    """
    package = find_spec("pyspark")
    if package is None or package.origin is None:
        raise MissingPrerequisite(
            "pyspark, whose jars the metastore runs on,",
            "install schema-publisher with its spark extra: pip install 'schema-publisher[spark]'",
        )
    jars = (Path(package.origin).parent / "jars").glob("*.jar")
    return tuple(sorted(jar for jar in jars if not jar.name.startswith(_ONLY_SPARK_NEEDS)))


def downloaded_jars(group: str) -> tuple[Path, ...]:
    """What ``java/{group}-pom.xml`` asks for, downloaded once; Maven checks the checksums."""
    pom = SOURCES / f"{group}-pom.xml"

    def download(directory: Path) -> None:
        maven = shutil.which("mvn")
        if maven is None:
            raise MissingPrerequisite("Apache Maven", _INSTALL_MAVEN)
        _log.info("downloading the jars of %s, once", group)
        command = [maven, "-q", "-B", "--strict-checksums", "-f", str(pom), *_MAVEN_GOAL]
        _run(
            [*command, f"-DoutputDirectory={directory}"],
            "check that Maven can reach its repository (a mirror goes into ~/.m2/settings.xml)",
        )

    directory = prepared(f"{group}-{fingerprint(pom.read_bytes())}", download)
    return tuple(sorted(directory.glob("*.jar")))


def launcher_jar(jdk: Jdk, sources: Sequence[str], classpath: Sequence[Path]) -> Path:
    """A jar of our own classes, compiled once per content, Java version and library versions.

    It is a jar and not a folder because a shared class archive takes no folders.
    """
    paths = [SOURCES / f"{name}.java" for name in sources]
    libraries = " ".join(jar.name for jar in classpath)
    key = fingerprint(jdk.version, libraries, *(path.read_bytes() for path in paths))

    def compile_and_pack(directory: Path) -> None:
        classes = directory / "classes"
        _run(
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

    return prepared(f"launcher-{sources[-1]}-{key}", compile_and_pack) / "launcher.jar"


def _version(java: Path) -> str:
    # The release file says it in no time; running java takes a tenth of a second.
    release = java.parent.parent / "release"
    text = release.read_text() if release.exists() else _run([str(java), "-version"], _INSTALL_JAVA)
    stated = re.search(r'(?:JAVA_VERSION=|version )"([0-9][^"]*)"', text)
    if stated is None:
        raise MissingPrerequisite(f"the version of {java}", _INSTALL_JAVA)
    return stated[1]


def _run(command: Sequence[str], hint: str) -> str:
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
