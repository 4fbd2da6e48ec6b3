"""A newcomer's editor and type checkers know the packages of a lake."""

from __future__ import annotations

from pathlib import Path

from tests.integration.consumer.lake import RELATIONS
from tests.integration.consumer.lake_installed import Lake
from tests.integration.consumer.language_server import LanguageServer
from tests.integration.consumer.type_checkers import mypy, pyright

RIGHT = """\
from collections.abc import Iterator
from decimal import Decimal
from acme_schemas.crm.customer import Address, Customer, Tier, read_file, write_file
from acme_schemas.mart.gold_customer import GoldCustomer
from acme_schemas.mart.revenue_by_country import RevenueByCountry
from acme_schemas.shop.orders import Lines, Orders, columns

def totals(orders: list[Orders]) -> Iterator[Decimal]:
    for order in orders:
        if order.total is not None:
            yield order.total
        for line in order.lines or []:
            if line is not None and line.unit_price is not None and line.quantity is not None:
                yield line.unit_price * line.quantity

def moved(customer: Customer, address: Address) -> Customer:
    later = customer.replace(homeAddress=address, tier=Tier.GOLD)
    write_file("customers.avro", [later, *read_file("old.avro")])
    return Customer.from_json(later.to_json())

def gold(customer: Customer) -> GoldCustomer:
    return GoldCustomer.from_dict(customer.to_dict())

def names() -> list[str]:
    return [columns.order_id, columns.shipping.address.city]

def revenue(row: RevenueByCountry) -> Decimal:
    return (row.revenue or Decimal()) + (row.average_order or Decimal())

line = Lines(sku="a", quantity=1)
"""

WRONG = """\
from acme_schemas.crm.customer import Customer, Tier
from acme_schemas.shop.orders import Orders, columns
def wrong(customer: Customer, order: Orders) -> str:
    customer.nmae
    order.total + 1.5
    customer.replace(fullName=None)
    Customer(fullName="x")
    columns.shipping.adress
    customer.tier = "GOLD"
    Orders(order_id="1")
    return customer.emailAddress
"""


def found_by_mypy(lake: Lake, folder: Path, text: str, day: str = "1.1.0") -> list[str]:
    return mypy(folder, text, lake.sites[day], lake.sites[day].parent / "mypy")


def found_by_pyright(lake: Lake, folder: Path, text: str) -> list[str]:
    return pyright(folder, text, lake.sites["1.1.0"], mode="strict")


def test_mypy_passes_a_program_over_several_packages(lake: Lake, tmp_path: Path) -> None:
    assert found_by_mypy(lake, tmp_path, RIGHT) == []


def test_pyright_passes_a_program_over_several_packages(lake: Lake, tmp_path: Path) -> None:
    assert found_by_pyright(lake, tmp_path, RIGHT) == []


def test_mypy_finds_a_mistake_on_each_line(lake: Lake, tmp_path: Path) -> None:
    found = {line.split(":")[1] for line in found_by_mypy(lake, tmp_path, WRONG)}

    assert found == {str(number) for number in range(4, 12)}


def test_pyright_finds_a_mistake_on_each_line(lake: Lake, tmp_path: Path) -> None:
    found = {line.split(":")[1] for line in found_by_pyright(lake, tmp_path, WRONG)}

    assert found >= {str(number) for number in range(3, 11)}


def test_mypy_finds_what_the_next_major_version_dropped(lake: Lake, tmp_path: Path) -> None:
    program = "from acme_schemas.crm.customer import Customer\ndef born(c: Customer) -> object:\n    return c.birthDate\n"

    assert found_by_mypy(lake, tmp_path, program) == []
    assert "birthDate" in "".join(found_by_mypy(lake, tmp_path, program, "2.0.0"))


def test_mypy_passes_every_package_of_the_lake(lake: Lake, tmp_path: Path) -> None:
    imports = "".join(f"import acme_schemas.{relation}\n" for relation in RELATIONS)

    assert found_by_mypy(lake, tmp_path, imports) == []


HOVERED = """\
from acme_schemas.shop.orders import Orders
def use(order: Orders) -> None:
    order.total
    order.placed_at
    order.shipping
"""


def test_an_editor_shows_the_digits_of_a_decimal(lake: Lake, tmp_path: Path) -> None:
    with LanguageServer("pyright", tmp_path, [lake.sites["1.1.0"]]) as editor:
        editor.open("program.py", HOVERED)

        total = editor.hover("program.py", HOVERED, "total")
        placed = editor.hover("program.py", HOVERED, "placed_at")

    assert "Sum of the lines" in total
    assert "decimal(12,2)" in total
    assert "When the order was placed." in placed
    assert "microsecond" in placed or "micros" in placed


def test_an_editor_completes_columns_within_structs(lake: Lake, tmp_path: Path) -> None:
    text = "from acme_schemas.shop.orders import columns\ncolumns.shipping.address."
    with LanguageServer("pyright", tmp_path, [lake.sites["1.1.0"]]) as editor:
        editor.open("program.py", text)

        offered = editor.completions("program.py", text, "address.")

    assert offered >= {"street", "city", "country"}
