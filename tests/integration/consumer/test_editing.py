"""A consumer's editor and type checkers know the package."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.consumer.installed import Shop
from tests.integration.consumer.language_server import LanguageServer
from tests.integration.consumer.type_checkers import mypy, pyright

pytestmark = pytest.mark.alike("shop", keep=2)

USER = """\
import datetime
from decimal import Decimal
from {package} import RECORD, {record}, {ship}, read_file, strategy, write_file

def revenue(path: str) -> Decimal:
    total = Decimal()
    for order in read_file(path):
        if order.total is not None and order.ship is not None:
            city: str | None = order.ship.city
            total += order.total
            print(city, order.placed_at or datetime.datetime.now())
    return total

def sent(order: {record}) -> bytes:
    match order:
        case {record}(customer=str() as customer, ship={ship}(zip=int() as code)):
            print(customer.upper(), code + 1)
        case _:
            pass
    later = order.replace(paid=True, tags=["a", None]).validate()
    write_file("x.avro", [later, RECORD.example()])
    return later.to_avro() + {record}.from_json(later.to_json()).to_single_object()

orders = strategy({record})
schema: str = {record}.SCHEMA
"""

WRONG = """\
from {package} import {record}, RECORD
def wrong(order: {record}) -> int:
    order.custmer
    order.total + 1.5
    order.replace(customer=1)
    {ship}(city=1)
    RECORD.from_avro("text")
    return order.customer
"""

DROPPED = """\
from {package} import {record}
def weight(order: {record}) -> float | None:
    return order.weight
"""


def filled(text: str, shop: Shop) -> str:
    with shop.version("1.1.0") as package:
        record = package.RECORD.__name__
    ship = shop.kind.ship
    text = text.replace("import {record}, RECORD", "import {record}, {ship}, RECORD")
    return text.format(package=shop.import_name, record=record, ship=ship)


def found_by_mypy(shop: Shop, folder: Path, text: str, version: str = "1.1.0") -> list[str]:
    # One cache of all shops.
    return mypy(folder, text, shop.sites[version], shop.site.parents[1] / "mypy")


def test_mypy_passes_a_right_program(shop: Shop, tmp_path: Path) -> None:
    assert found_by_mypy(shop, tmp_path, filled(USER, shop)) == []


def test_mypy_finds_each_mistake(shop: Shop, tmp_path: Path) -> None:
    assert len(found_by_mypy(shop, tmp_path, filled(WRONG, shop))) >= 6


def test_mypy_finds_a_column_that_the_next_major_dropped(shop: Shop, tmp_path: Path) -> None:
    program = filled(DROPPED, shop)

    assert found_by_mypy(shop, tmp_path, program) == []
    assert 'has no attribute "weight"' in "".join(found_by_mypy(shop, tmp_path, program, "2.0.0"))


def test_pyright_passes_a_right_program_strictly(shop: Shop, tmp_path: Path) -> None:
    assert pyright(tmp_path, filled(USER, shop), shop.site, mode="strict") == []


def test_pyright_finds_each_mistake(shop: Shop, tmp_path: Path) -> None:
    found = pyright(tmp_path, filled(WRONG, shop), shop.site, mode="standard")

    assert len({line.split(":")[1] for line in found}) >= 6


def test_pyright_passes_the_package_itself(shop: Shop, tmp_path: Path) -> None:
    """Generated code may stand among a program's own, in whichever mode that is checked."""
    # Copied: pyright reads no folder that is a link.
    shutil.copytree(shop.site / "acme_schemas", tmp_path / "acme_schemas")

    assert pyright(tmp_path, "", mode="strict") == []


@pytest.fixture(scope="module", params=["pylsp", "pyright"])
def server(
    request: pytest.FixtureRequest, shop: Shop, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LanguageServer]:
    folder = tmp_path_factory.mktemp("project")
    with LanguageServer(request.param, folder, [shop.site]) as running:
        yield running


HOVERED = """\
from {package} import {record}
from {package} import columns
def use(order: {record}) -> None:
    [*columns]
    columns.placed_at
    columns.ship.city
    order.total
    order.customer
    {record}(
"""


def opened(server: LanguageServer, shop: Shop) -> str:
    text = filled(HOVERED, shop)
    server.open("program.py", text)
    return text


# Jedi shows what is written of the type of an attribute: of text, nothing.
@pytest.mark.parametrize("server", ["pyright"], indirect=True)
def test_an_editor_shows_the_documentation_of_a_column(server: LanguageServer, shop: Shop) -> None:
    text = opened(server, shop)

    shown = server.hover("program.py", text, "customer")

    assert "str | None" in shown
    assert "Who pays:" in shown


@pytest.mark.parametrize("server", ["pyright"], indirect=True)
def test_an_editor_shows_digits_and_units(server: LanguageServer, shop: Shop) -> None:
    text = opened(server, shop)

    assert "decimal(10,2)" in server.hover("program.py", text, "total")
    assert "timestamp (UTC, microseconds)" in server.hover("program.py", text, "placed_at")
    assert f"{shop.kind.ship}Columns" in server.hover("program.py", text, "ship.")


def test_an_editor_completes_the_names_of_columns(server: LanguageServer, shop: Shop) -> None:
    text = opened(server, shop)

    assert server.completions("program.py", text, "columns.") >= {"customer", "ship"}
    assert server.completions("program.py", text, "columns.ship.") >= {"city", "zip"}


def test_an_editor_shows_a_class(server: LanguageServer, shop: Shop) -> None:
    text = opened(server, shop)
    record = text.splitlines()[0].split()[-1]

    shown = server.hover("program.py", text, record)

    assert shown.removeprefix("class ").startswith(record)
    assert "Who pays:" in shown


def test_an_editor_completes_columns_and_methods(server: LanguageServer, shop: Shop) -> None:
    text = opened(server, shop)

    offered = server.completions("program.py", text, "order.")

    assert offered >= {"customer", "total", "unit", "to_json", "replace", "validate"}


def test_an_editor_shows_the_constructors_parameters(server: LanguageServer, shop: Shop) -> None:
    text = opened(server, shop)

    shown = server.signature("program.py", text, f"{text.splitlines()[0].split()[-1]}(")

    assert "customer: str | None=None" in shown.replace(" = ", "=")
    assert "strict: bool=False" in shown.replace(" = ", "=")
