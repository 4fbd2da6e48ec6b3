"""The jars that servers need: jars in pyspark, and jars that pyspark's Ivy downloads.

Downloads are pinned twice: their versions in ``java/{group}-ivy.xml``, their bytes in
``java/{group}-checksums.txt``, in the format of ``sha256sum``.
"""

from __future__ import annotations

import fnmatch
import logging
import re
import shutil
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from deploy.cache import ensure_entry, fingerprint
from deploy.errors import MissingPrerequisite, UnexpectedJars
from deploy.jdk import SOURCES, Jdk, run_tool

_log = logging.getLogger(__name__)
_INSTALL_SPARK = (
    "install schema-publisher with its spark extra: pip install '.[spark]' in its checkout"
)
_REACH_THE_REGISTRY = (
    "check that this machine reaches the central repository of Java packages "
    "(behind a proxy: JDK_JAVA_OPTIONS='-Dhttps.proxyHost=… -Dhttps.proxyPort=…') and start again"
)
_ONLY_SPARK_NEEDS = (
    *("arrow-", "breeze", "jakarta.", "jersey-", "json4s-", "kubernetes-", "netty-", "orc-"),
    *("parquet-", "rocksdbjni-", "scala-", "spark-", "spire", "vertx-", "volcano-"),
)

_FOR_PEOPLE = re.compile(
    rb"<!--.*?-->|<description>.*?</description>|<description/>|(?<=>)\s+(?=<)", re.DOTALL
)
_HADOOP = (
    *("hadoop-client-api-*.jar", "hadoop-client-runtime-*.jar", "jcl-over-slf4j-*.jar"),
    *("log4j-api-*.jar", "log4j-core-*.jar", "log4j-slf4j2-impl-*.jar"),
)
_AVRO = (
    *("avro-[0-9]*.jar", "gson-*.jar", "jackson-annotations-*.jar", "jackson-core-[0-9]*.jar"),
    *("jackson-databind-*.jar", "slf4j-api-*.jar", "commons-compress-*.jar"),
    # The codecs of container files.
    *("commons-io-*.jar", "snappy-java-*.jar", "xz-[0-9]*.jar", "zstd-jni-*.jar"),
)


def hive_jars() -> tuple[Path, ...]:
    """The jars of Hive's metastore in pyspark, and few other jars.

    Hive searches all jars for each of its persistent classes: with fewer jars it starts faster.
    """
    jars = _pyspark_jars().glob("*.jar")
    return tuple(sorted(jar for jar in jars if not jar.name.startswith(_ONLY_SPARK_NEEDS)))


def spark_jars() -> tuple[Path, ...]:
    """All jars of pyspark, for code that runs inside Spark."""
    return tuple(sorted(_pyspark_jars().glob("*.jar")))


def hadoop_jars() -> tuple[Path, ...]:
    """Hadoop's client, which reads and writes files, with a logger."""
    jars = _pyspark_jars()
    return tuple(sorted(jar for pattern in _HADOOP for jar in jars.glob(pattern)))


def avro_jars() -> tuple[Path, ...]:
    """Apache Avro with the jars that it needs for values and for files of every codec."""
    jars = _pyspark_jars()
    return tuple(sorted(jar for pattern in _AVRO for jar in jars.glob(pattern)))


def downloaded_jars(jdk: Jdk, group: str) -> tuple[Path, ...]:
    """The jars of ``java/{group}-ivy.xml``, downloaded once and compared with their checksums."""
    versions = SOURCES / f"{group}-ivy.xml"
    checksums = SOURCES / f"{group}-checksums.txt"

    def download(directory: Path) -> None:
        _log.info("downloading the jars of %s, once", group)
        retrieve(jdk, versions, directory)
        require_checksums(directory, checksums)

    key = fingerprint(versions.read_bytes(), checksums.read_bytes())
    return tuple(sorted(ensure_entry(f"{group}-{key}", download).glob("*.jar")))


def terse_defaults(jars: Sequence[Path]) -> Path:
    """A jar of the jars' ``*-default.xml`` without their descriptions and comments.

    Hadoop's programs read these files again for many objects. This takes most of the time of a short
    script. The jar must come before all others in the classpath.
    """

    def write(directory: Path) -> None:
        with zipfile.ZipFile(directory / "defaults.jar", "w") as terse:
            for jar in jars:
                with zipfile.ZipFile(jar) as read:
                    for name in fnmatch.filter(read.namelist(), "*-default.xml"):
                        terse.writestr(name, _FOR_PEOPLE.sub(b"", read.read(name)))

    key = fingerprint(*(jar.name for jar in jars), _FOR_PEOPLE.pattern)
    return ensure_entry(f"defaults-{key}", write) / "defaults.jar"


def artifact_jars(jdk: Jdk, group: str, addresses: Iterable[str]) -> tuple[Path, ...]:
    """The jars of a group that Ivy addresses such as ``ivy://organisation:module:version`` name."""
    known = {jar.name: jar for jar in downloaded_jars(jdk, group)}
    names = {
        "{1}-{2}.jar".format(*address.partition("?")[0].split(":")[1:]) for address in addresses
    }
    return tuple(known[name] for name in sorted(names))


def require_checksums(directory: Path, checksums: Path) -> None:
    """Raises ``UnexpectedJars`` unless the directory holds exactly the jars that the file lists."""
    differences = checksum_differences(read_checksums(checksums), jar_checksums(directory))
    if differences:
        raise UnexpectedJars(checksums, differences)


def read_checksums(path: Path) -> dict[str, str]:
    """The SHA-256 of each file, by its name."""
    lines = (line.split(maxsplit=1) for line in path.read_text().splitlines())
    return {name: checksum for checksum, name in lines}


def jar_checksums(directory: Path) -> dict[str, str]:
    return {jar.name: sha256(jar.read_bytes()).hexdigest() for jar in directory.glob("*.jar")}


def checksum_differences(expected: Mapping[str, str], found: Mapping[str, str]) -> tuple[str, ...]:
    """One line for each jar that is missing, not listed, or has other bytes."""
    return tuple(
        f"{name}: expected {expected.get(name, 'no such jar')}, got {found.get(name, 'none')}"
        for name in sorted(expected.keys() | found.keys())
        if expected.get(name) != found.get(name)
    )


def retrieve(jdk: Jdk, versions: Path, directory: Path) -> None:
    """Makes Ivy download the jars that the file ``versions`` lists into the directory."""
    # A separate Ivy home, so that files of the user's other tools have no effect.
    home = directory / "ivy"
    command = (
        *(str(jdk.java), f"-Divy.default.ivy.user.dir={home}", "-jar", str(_ivy_jar()), "-warn"),
        *("-ivy", str(versions), "-confs", "runtime"),
        *("-retrieve", str(directory / "[artifact]-[revision](-[classifier]).[ext]")),
    )
    run_tool(command, _REACH_THE_REGISTRY)
    shutil.rmtree(home, ignore_errors=True)


def _ivy_jar() -> Path:
    """Ivy's jar from pyspark: Spark uses Ivy to resolve its own packages."""
    found = sorted(_pyspark_jars().glob("ivy-*.jar"))
    if not found:
        raise MissingPrerequisite("Apache Ivy, one of pyspark's jars,", _INSTALL_SPARK)
    return found[-1]


def _pyspark_jars() -> Path:
    package = find_spec("pyspark")
    if package is None or package.origin is None:
        raise MissingPrerequisite("pyspark, which contains the metastore's jars,", _INSTALL_SPARK)
    return Path(package.origin).parent / "jars"
