"""The classes of the tests of frameworks as a person would write them, to compare with packages.

Annotations are evaluated here, since typedload looks at the types of fields.
"""

import dataclasses
import datetime as dt
import decimal
import enum
import uuid
from collections.abc import Mapping


class Tier(enum.Enum):
    A = "A"
    B = "B"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    City: str
    Zip: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    Id: int
    Name: str | None = None
    tier: Tier = Tier.A
    tags: Mapping[str, str] = dataclasses.field(default_factory=dict)
    phones: tuple[str, ...] = ()
    addr: Address | None = None
    addrs: tuple[Address, ...] = ()
    at: dt.datetime
    day: dt.date | None = None
    ratio: float = 0.5
    ok: bool = True
    key: uuid.UUID | None = None
    price: decimal.Decimal | None = None
