"""Safe installation by every installer: ranges, pins, hashes, and an untrusted package of our name."""

from __future__ import annotations

import secrets
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local_stack import PyPiServer
from publisher.commands.snapshot import run_snapshot
from publisher.index.static import StaticIndex
from publisher.web.app import create_app
from publisher.web.server import WebServer
from tests.integration.end_to_end.consumers import (
    PIPS,
    TOOLS,
    Command,
    Offered,
    consumer,
    succeeded,
    tamper,
)
from tests.integration.end_to_end.published import configured, distribution, publish_all
from tests.publisher.index.wheels import sample_wheel
from tests.publisher.web.daemon_double import IdleDaemon
from tests.waiting import PATIENCE_SECONDS

STRANGERS = "99.0.0"
FORGED = "1.1.0"
UNLISTED = "acme-schema-not-listed"

FOLDERS = (("pip", "pip"), ("uv pip", "uv"), ("pip", "twice"))
IMPORTS = "import acme_schemas.shop.company, acme_schemas.shop.headcount"


def served(index: StaticIndex) -> WebServer:
    return WebServer(create_app(index, IdleDaemon()))


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Offered]:
    """The index that the daemon serves, and another that has untrusted packages of our names."""
    folder = tmp_path_factory.mktemp("own")
    settings = configured(folder, f'kind = "static"\npath = "{folder}/index"')
    publish_all(settings, "shop")
    (folder / "ddl" / "headcount.sql").write_text(
        "CREATE VIEW shop.headcount AS SELECT count(*) AS n FROM shop.company;\n"
    )
    run_snapshot(settings, "local")
    StaticIndex(folder / "index").upload(sample_wheel(UNLISTED))
    others = StaticIndex(folder / "others")
    for version in (FORGED, STRANGERS):
        others.upload(sample_wheel(distribution("shop"), version))
    with served(StaticIndex(folder / "index")) as ours, served(others) as theirs:
        yield Offered(distribution("shop"), f"{ours.url}/simple/", f"{theirs.url}/simple/")


@pytest.fixture
def shared(own: Offered) -> tuple[str, ...]:
    """Two packages whose modules are in one folder."""
    return own.distribution, own.distribution.replace("company", "headcount")


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory, package_server: PyPiServer) -> Offered:
    """A pypiserver, to which the packages were uploaded."""
    database = f"shop{secrets.token_hex(4)}"
    settings = configured(
        tmp_path_factory.mktemp("foreign"),
        f'kind = "twine"\nrepository_url = "{package_server.upload_url}"\n'
        f'simple_url = "{package_server.simple_url}"\nusername = "{package_server.username}"\n'
        f'password = "{package_server.password}"',
    )
    publish_all(settings, database)
    return Offered(distribution(database), package_server.simple_url)


@pytest.fixture(params=["own", "foreign"])
def offered(request: pytest.FixtureRequest) -> Offered:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Offered)
    return found


@pytest.mark.parametrize("tool", TOOLS)
def test_a_range_takes_its_newest_and_a_pin_its_own(
    offered: Offered, tool: str, tmp_path: Path
) -> None:
    someone = consumer(tool, tmp_path / "consumer", offered)

    someone.installs(">=1,<2")
    ranged = someone.version
    someone.installs("==1.0.0")
    pinned = someone.version
    someone.installs(">=1")

    assert (ranged, pinned, someone.version) == ("1.1.0", "1.0.0", "2.0.0")


@pytest.mark.parametrize("tool", TOOLS)
def test_what_was_locked_is_installed_by_its_hash_alone(
    offered: Offered, tool: str, tmp_path: Path
) -> None:
    someone = consumer(tool, tmp_path / "consumer", offered)
    someone.lock(">=1,<2")
    misled = consumer(tool, tmp_path / "misled", offered)
    tamper(misled.lock(">=1,<2"))

    succeeded(someone.sync())
    refused = misled.sync()

    assert someone.version == "1.1.0"
    assert refused.returncode != 0
    said = (refused.stdout + refused.stderr).lower()
    assert "hash" in said or "checksum" in said, said


@pytest.mark.parametrize("tool", TOOLS)
def test_an_untrusted_package_of_our_name_is_not_taken(
    own: Offered, tool: str, tmp_path: Path
) -> None:
    careful, careless = (consumer(tool, tmp_path / name, own) for name in ("careful", "careless"))

    careful.installs(">=1")
    careless.installs_carelessly()

    assert careful.version == "2.0.0"
    assert careless.version == STRANGERS


def test_pip_asks_a_machines_further_index_unless_isolated(own: Offered, tmp_path: Path) -> None:
    careful, careless = (Command("pip", tmp_path / name, own) for name in ("careful", "careless"))
    machine = {"PIP_EXTRA_INDEX_URL": own.other_url}

    succeeded(careful.install("--isolated", own.distribution, settings=machine))
    succeeded(careless.install(own.distribution, settings=machine))

    assert careful.version == "2.0.0"
    assert careless.version == STRANGERS


@pytest.mark.parametrize("tool", ["pip", "uv pip"])
def test_a_hash_never_lets_an_untrusted_file_in(own: Offered, tool: str, tmp_path: Path) -> None:
    someone = Command(tool, tmp_path / "consumer", own)
    someone.lock(f"=={FORGED}")
    misled = {"PIP_EXTRA_INDEX_URL": own.other_url, "UV_EXTRA_INDEX_URL": own.other_url}

    ended = someone.sync(misled)

    # pip looks on for the right file, uv stops at the first index that has the name.
    if tool == "pip":
        succeeded(ended)
        someone.environment.ran("import acme_schemas.shop.company")
    else:
        assert ended.returncode != 0
        assert "Hash mismatch" in ended.stderr


def address(own: Offered, path: str) -> str:
    """Of what the service has beside ``/simple/``."""
    return own.simple_url.removesuffix("simple/") + path


def fetched(url: str, folder: Path) -> Path:
    file = folder / "fetched.txt"
    with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as answer:
        file.write_bytes(answer.read())
    return file


@pytest.mark.parametrize("tool", [*PIPS, "uv pip"])
def test_the_constraints_file_pins_a_name(own: Offered, tool: str, tmp_path: Path) -> None:
    someone = Command(tool, tmp_path / "consumer", own)
    constraints = fetched(address(own, "constraints.txt"), tmp_path)
    constraints.write_text(constraints.read_text().replace("==2.0.0", "==1.1.0"))

    succeeded(someone.install(own.distribution, "--constraint", address(own, "constraints.txt")))
    newest = someone.version
    succeeded(someone.install(own.distribution, "--constraint", str(constraints)))

    assert (newest, someone.version) == ("2.0.0", "1.1.0")


@pytest.mark.parametrize("tool", [*PIPS, "uv pip"])
def test_a_constraints_file_of_one_index_leaves_other_packages_alone(
    own: Offered, tool: str, tmp_path: Path
) -> None:
    someone = Command(tool, tmp_path / "consumer", own)
    constraints = tmp_path / "constraints.txt"
    constraints.write_text(f"{own.distribution}==1.0.0\n")

    succeeded(someone.install(own.distribution, UNLISTED, "--constraint", str(constraints)))

    assert someone.version == "1.0.0"
    assert someone.environment.version(UNLISTED) == "1.0.0"


@pytest.mark.parametrize("tool", [*PIPS, "uv pip"])
def test_the_requirements_of_one_package_have_its_hash(
    own: Offered, tool: str, tmp_path: Path
) -> None:
    someone = Command(tool, tmp_path / "consumer", own)
    url = address(own, f"requirements/{own.distribution}.txt")
    forged = fetched(url, tmp_path)
    tamper(forged)

    refused = someone.install("--require-hashes", "--requirement", str(forged))
    succeeded(someone.install("--require-hashes", "--requirement", url))

    assert refused.returncode != 0
    assert "hash" in refused.stderr.lower()
    assert someone.version == "2.0.0"


@pytest.mark.parametrize("tool", [*PIPS, "uv pip"])
def test_the_requirements_of_the_index_have_all_packages(
    own: Offered, tool: str, tmp_path: Path
) -> None:
    someone = Command(tool, tmp_path / "consumer", own)

    succeeded(
        someone.install("--require-hashes", "--requirement", address(own, "requirements.txt"))
    )

    assert someone.version == "2.0.0"
    assert someone.environment.version(UNLISTED) == "1.0.0"


def test_a_folder_takes_several_packages_of_one_command_of_pip_or_of_many_of_uv(
    shared: tuple[str, ...], own: Offered, tmp_path: Path
) -> None:
    by_pip, by_uv, twice = (Command(t, tmp_path / n, own) for t, n in FOLDERS)
    targets = [str(tmp_path / name / "build") for _, name in FOLDERS]

    succeeded(by_pip.install("--target", targets[0], *shared))
    for name in shared:
        succeeded(by_uv.install("--target", targets[1], name))
        # pip's own fault, for which the guide names these two ways: github.com/pypa/pip/issues/10110
        succeeded(twice.install("--target", targets[2], name))

    for someone, target in ((by_pip, targets[0]), (by_uv, targets[1])):
        someone.environment.ran(f"import sys; sys.path.append('{target}'); {IMPORTS}")
    with pytest.raises(AssertionError, match="ModuleNotFoundError"):
        twice.environment.ran(f"import sys; sys.path.append('{targets[2]}'); {IMPORTS}")
