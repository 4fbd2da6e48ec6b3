"""Run by the consumers' Python: does one library treat a record as it treats a frozen dataclass?

Arguments: the library, and the module that has the classes. It prints the library's results.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import importlib
import sys
import uuid
from collections.abc import Callable
from typing import Any

AT = dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=dt.UTC)


def record(module: Any, **changes: Any) -> Any:
    listed = type(module.Company(Id=0, at=AT).phones)
    known = {
        "Id": 1,
        "Name": "x",
        "tier": module.Tier.B,
        "tags": {"k": "v"},
        "phones": listed(["1"]),
        "addr": module.Address(City="c"),
        "addrs": listed([module.Address(City="d", Zip=3)]),
        "at": AT,
        "day": dt.date(2024, 1, 2),
        "key": uuid.UUID(int=5),
        "price": decimal.Decimal("1.50"),
    }
    return module.Company(**known | changes)


def same(made: Any, expected: Any) -> Any:
    assert made == expected, (made, expected)
    assert type(made) is type(expected)
    return made


def with_cattrs(module: Any) -> Any:
    converter = importlib.import_module("cattrs.preconf.json").make_converter()
    for kind in (decimal.Decimal, uuid.UUID):
        converter.register_structure_hook(kind, lambda text, to: to(text))
        converter.register_unstructure_hook(kind, str)
    value = record(module)
    same(converter.loads(converter.dumps(value), module.Company), value)
    return same(converter.structure(converter.unstructure(value), module.Company), value)


def with_msgspec(module: Any) -> Any:
    msgspec = importlib.import_module("msgspec")
    value = record(module)
    same(msgspec.json.decode(msgspec.json.encode(value), type=module.Company), value)
    return same(msgspec.convert(msgspec.to_builtins(value), module.Company), value)


def with_dacite(module: Any) -> Any:
    dacite = importlib.import_module("dacite")
    value = record(module)
    return same(dacite.from_dict(module.Company, dataclasses.asdict(value)), value)


def with_polars(module: Any) -> Any:
    polars = importlib.import_module("polars")
    address = module.Address(City="c", Zip=3)
    frame = polars.DataFrame([address, address])
    assert frame.schema == {"City": polars.String, "Zip": polars.Int64}
    return frame.rows()


def with_mashumaro(module: Any) -> Any:
    basic = importlib.import_module("mashumaro.codecs.basic")
    schema = importlib.import_module("mashumaro.jsonschema").build_json_schema(module.Company)
    assert schema.to_dict()["required"] == ["Id", "at"]
    value = record(module)
    plain = basic.BasicEncoder(module.Company).encode(value)
    return same(basic.BasicDecoder(module.Company).decode(plain), value)


def with_typedload(module: Any) -> Any:
    typedload = importlib.import_module("typedload")
    # It knows no abstract mapping, no UUID and no decimal.
    value = module.Address(City="c", Zip=3)
    return same(typedload.load(typedload.dump(value), module.Address), value)


def with_apischema(module: Any) -> Any:
    apischema = importlib.import_module("apischema")
    importlib.import_module("apischema.json_schema").deserialization_schema(module.Company)
    value = record(module)
    plain = apischema.serialize(module.Company, value)
    return same(apischema.deserialize(module.Company, plain), value)


def with_polyfactory(module: Any) -> Any:
    factories = importlib.import_module("polyfactory.factories")
    factory = factories.DataclassFactory.create_factory(module.Company)
    made = factory.build(Name="Acme")
    assert type(made) is module.Company
    assert isinstance(made.tags, dict)
    return made.Name


def with_hypothesis(module: Any) -> Any:
    hypothesis = importlib.import_module("hypothesis")
    strategies = importlib.import_module("hypothesis.strategies")
    seen = []

    def collect(address: Any, company: Any) -> None:
        seen.append((type(address) is module.Address, type(company.Id) is int))

    drawn = hypothesis.given(
        strategies.builds(module.Address), strategies.builds(module.Company, Id=...)
    )(collect)
    hypothesis.settings(max_examples=20, deadline=None, database=None)(drawn)()
    return all(map(all, seen))


def with_orjson(module: Any) -> Any:
    orjson = importlib.import_module("orjson")
    return orjson.loads(orjson.dumps(record(module, price=None)))


def with_pydantic(module: Any) -> Any:
    pydantic = importlib.import_module("pydantic")
    adapter = pydantic.TypeAdapter(module.Company)
    schema = adapter.json_schema()
    assert {*schema["$defs"]} == {"Address", "Tier"}
    assert schema["required"] == ["Id", "at"]
    value = record(module)
    return same(adapter.validate_json(adapter.dump_json(value)), value)


def with_fastapi(module: Any) -> Any:
    fastapi = importlib.import_module("fastapi")
    client_of = importlib.import_module("fastapi.testclient").TestClient
    adapter = importlib.import_module("pydantic").TypeAdapter(module.Company)
    app = fastapi.FastAPI()

    def create(company: Any) -> Any:
        assert type(company) is module.Company
        return company

    create.__annotations__ = {"company": module.Company, "return": module.Company}
    app.post("/companies")(create)
    client = client_of(app)
    body = adapter.dump_json(record(module))

    answer = client.post("/companies", content=body, headers={"Content-Type": "application/json"})
    refused = client.post("/companies", json={"addrs": [{"Zip": 1}], "ratio": "x"})

    assert answer.status_code == 200, answer.text
    assert adapter.validate_json(answer.content) == record(module)
    assert client.get("/docs").status_code == 200
    assert "Company" in str(client.get("/openapi.json").json()["components"]["schemas"])
    places = {tuple(fault["loc"][1:]) for fault in refused.json()["detail"]}
    assert places == {("Id",), ("at",), ("addrs", 0, "City"), ("ratio",)}
    return answer.json()


LIBRARIES: dict[str, Callable[[Any], Any]] = {
    "cattrs": with_cattrs,
    "msgspec": with_msgspec,
    "dacite": with_dacite,
    "polars": with_polars,
    "mashumaro": with_mashumaro,
    "typedload": with_typedload,
    "apischema": with_apischema,
    "polyfactory": with_polyfactory,
    "hypothesis": with_hypothesis,
    "orjson": with_orjson,
    "pydantic": with_pydantic,
    "fastapi": with_fastapi,
}

if __name__ == "__main__":
    print(LIBRARIES[sys.argv[1]](importlib.import_module(sys.argv[2])))
