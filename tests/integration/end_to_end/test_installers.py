"""The safe way in, by every installer: ranges, pins, hashes, and an untrusted package of our name."""

from __future__ import annotations

import secrets
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local_stack import PyPiServer
from publisher.index.static import StaticIndex
from publisher.web.app import create_app
from publisher.web.server import WebServer
from tests.integration.end_to_end.consumers import (
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


def served(index: StaticIndex) -> WebServer:
    return WebServer(create_app(index, IdleDaemon()))


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Offered]:
    """The index that the daemon serves, and another that has untrusted packages of our names."""
    folder = tmp_path_factory.mktemp("own")
    settings = configured(folder, f'kind = "static"\npath = "{folder}/index"')
    publish_all(settings, "shop")
    StaticIndex(folder / "index").upload(sample_wheel(UNLISTED))
    others = StaticIndex(folder / "others")
    for version in (FORGED, STRANGERS):
        others.upload(sample_wheel(distribution("shop"), version))
    with served(StaticIndex(folder / "index")) as ours, served(others) as theirs:
        yield Offered(distribution("shop"), f"{ours.url}/simple/", f"{theirs.url}/simple/")


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


def constraints_url(own: Offered) -> str:
    return own.simple_url.removesuffix("simple/") + "constraints.txt"


@pytest.mark.parametrize("tool", ["pip", "uv pip"])
def test_the_constraints_file_pins_a_name_with_its_hash(
    own: Offered, tool: str, tmp_path: Path
) -> None:
    someone = Command(tool, tmp_path / "consumer", own)
    forged = tmp_path / "forged.txt"
    with urllib.request.urlopen(constraints_url(own), timeout=PATIENCE_SECONDS) as answer:
        forged.write_bytes(answer.read())
    tamper(forged)

    refused = someone.install(own.distribution, "--constraint", str(forged))
    succeeded(someone.install(own.distribution, "--constraint", constraints_url(own)))

    assert refused.returncode != 0
    assert "hash" in refused.stderr.lower()
    assert someone.version == "2.0.0"


@pytest.mark.parametrize("tool", ["pip", "uv pip"])
def test_the_constraints_file_is_itself_a_file_of_required_hashes(
    own: Offered, tool: str, tmp_path: Path
) -> None:
    someone = Command(tool, tmp_path / "consumer", own)

    succeeded(someone.install("--require-hashes", "--requirement", constraints_url(own)))

    assert someone.version == "2.0.0"


def test_uv_requires_a_pin_beside_the_hashes_of_a_constraint(own: Offered, tmp_path: Path) -> None:
    by_pip, by_uv = (Command(t, tmp_path / t[:2], own) for t in ("pip", "uv pip"))
    constrained = ("--require-hashes", "--constraint", constraints_url(own))

    succeeded(by_pip.install(*constrained, own.distribution))
    unpinned = by_uv.install(*constrained, own.distribution)
    succeeded(by_uv.install(*constrained, f"{own.distribution}==2.0.0"))

    assert "pinned with `==`" in unpinned.stderr
    assert by_pip.version == by_uv.version == "2.0.0"


def test_pip_asks_hashes_of_all_once_one_constraint_has_some(own: Offered, tmp_path: Path) -> None:
    by_pip, by_uv = (Command(t, tmp_path / t[:2], own) for t in ("pip", "uv pip"))
    listed = tmp_path / "listed.txt"
    with urllib.request.urlopen(constraints_url(own), timeout=PATIENCE_SECONDS) as answer:
        (line,) = (t for t in answer.read().decode().splitlines() if t.startswith(own.distribution))
    listed.write_text(f"{line}\n")
    mixed = (own.distribution, UNLISTED, "--constraint", str(listed))

    refused = by_pip.install(*mixed)
    succeeded(by_uv.install(*mixed))

    assert "--require-hashes" in refused.stderr
    assert by_uv.environment.version(UNLISTED) == "1.0.0"
