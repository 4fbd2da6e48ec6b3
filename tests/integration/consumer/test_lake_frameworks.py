"""A newcomer hands records of a lake to the libraries that take dataclasses."""

from __future__ import annotations

from typing import Final

from tests.integration.consumer.lake import RELATIONS
from tests.integration.consumer.lake_installed import Lake

_NAMES: Final = [str(relation) for relation in RELATIONS]
_EACH: Final = """\
import dataclasses, datetime as dt, decimal, json, typing, uuid, warnings
for p in packages:
    R = p.RECORD
    r = R.example(3)
    if p.RELATION in {skipped}:
        continue
{body}
    print(p.RELATION)
"""
# What no library of dataclasses tells apart: a union of records, two of them with equal fields.
_UNIONS: Final = ("crm.interaction", "mart.last_interaction")
# A ``fixed`` is a class of bytes, which these libraries have no rule for.
_FIXED: Final = ("crm.customer", "mart.gold_customer")


def each_works(lake: Lake, imports: str, body: str, skipped: tuple[str, ...] = ()) -> None:
    """The body holds of the record ``r`` of every package but those skipped."""
    indented = "\n".join(f"    {line}" for line in body.strip().splitlines())
    program = f"{imports}\n{_EACH.format(skipped=skipped, body=indented)}"

    assert lake.ran_beside_libraries(program).split() == [n for n in _NAMES if n not in skipped]


def test_cattrs_takes_records_apart_and_makes_them(lake: Lake) -> None:
    each_works(
        lake,
        "import cattrs, datetime as dt, decimal, uuid\n"
        "from cattrs.strategies import configure_union_passthrough\n"
        "converter = cattrs.Converter()\n"
        "for kind in (dt.datetime, dt.date, dt.timedelta, decimal.Decimal, uuid.UUID):\n"
        "    converter.register_structure_hook(kind, lambda value, _: value)\n"
        "configure_union_passthrough(int | str | None, converter)",
        "assert converter.structure(converter.unstructure(r), R) == r",
        _UNIONS,
    )


def test_msgspec_converts_records(lake: Lake) -> None:
    each_works(
        lake,
        "import msgspec",
        "assert msgspec.json.decode(msgspec.json.encode(r), type=R) == r",
        (*_UNIONS, *_FIXED),
    )


def test_dacite_makes_records(lake: Lake) -> None:
    each_works(
        lake, "import dacite", "assert dacite.from_dict(R, dataclasses.asdict(r)) == r", _UNIONS
    )


def test_polyfactory_builds_records(lake: Lake) -> None:
    each_works(
        lake,
        "from polyfactory.factories import DataclassFactory",
        "made = DataclassFactory.create_factory(R).build()\nassert type(made) is R and repr(made)",
        _FIXED,
    )


def test_orjson_writes_a_records_plain_values(lake: Lake) -> None:
    each_works(
        lake,
        "import orjson",
        "assert R.from_json(orjson.dumps(r.to_dict(mode='json'))) == r",
    )


def test_pydantic_checks_and_dumps_records(lake: Lake) -> None:
    each_works(
        lake,
        "import pydantic",
        "adapter = pydantic.TypeAdapter(R)\n"
        "assert adapter.validate_json(adapter.dump_json(r)) == r\n"
        "assert adapter.validate_python(adapter.dump_python(r)) == r\n"
        "assert adapter.validate_json(r.to_json()) == r",
    )


def test_confluents_serialisers_keep_records_and_branches(lake: Lake) -> None:
    """As packages.md writes it; the registry is the one that its client brings for tests."""
    each_works(
        lake,
        "warnings = __import__('warnings'); warnings.simplefilter('ignore')\n"
        "from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer\n"
        "from confluent_kafka.serialization import MessageField, SerializationContext\n"
        "from confluent_kafka.schema_registry._sync.mock_schema_registry_client import"
        " MockSchemaRegistryClient\n"
        "client = MockSchemaRegistryClient({'url': 'mock://x'})",
        "context = SerializationContext(p.RELATION, MessageField.VALUE)\n"
        "serialize = AvroSerializer(client, p.SCHEMA, p.to_dict)\n"
        "deserialize = AvroDeserializer(client, p.SCHEMA, p.from_dict, return_record_name=True)\n"
        "records = [R.example(seed) for seed in range(20)]\n"
        "assert [deserialize(serialize(record, context), context) for record in records] == records",
    )
