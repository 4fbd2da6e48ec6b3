"""A newcomer passes records of a lake to libraries that take dataclasses."""

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


def test_mashumaro_encodes_records(lake: Lake) -> None:
    each_works(
        lake,
        "from mashumaro.codecs.basic import BasicDecoder, BasicEncoder",
        "assert BasicDecoder(R).decode(BasicEncoder(R).encode(r)) == r",
        (*_UNIONS, *_FIXED),
    )


def test_typedload_loads_records(lake: Lake) -> None:
    each_works(
        lake,
        "import typedload.dataloader, datetime as dt, decimal, uuid\n"
        "loader = typedload.dataloader.Loader(basiccast=False)\n"
        "for kind in (dt.datetime, dt.date, dt.timedelta, decimal.Decimal, uuid.UUID, bytes):\n"
        "    loader.handlers.insert(0, (lambda t, k=kind: t is k, lambda _, value, __: value))",
        "assert loader.load(dataclasses.asdict(r), R) == r",
        (*_UNIONS, *_FIXED),
    )


def test_apischema_deserialises_records(lake: Lake) -> None:
    each_works(
        lake,
        "import apischema, datetime as dt, decimal, uuid\n"
        "from apischema.conversions import Conversion\n"
        "for kind in (dt.datetime, dt.date, dt.timedelta, decimal.Decimal):\n"
        "    apischema.serializer(Conversion(repr, source=kind, target=str))\n"
        "    apischema.deserializer(Conversion(lambda text: eval(text, {'datetime': dt,"
        " 'Decimal': decimal.Decimal}), source=str, target=kind))",
        "assert apischema.deserialize(R, apischema.serialize(R, r)) == r",
        (*_UNIONS, *_FIXED),
    )


def test_polyfactory_builds_records(lake: Lake) -> None:
    each_works(
        lake,
        "from polyfactory.factories import DataclassFactory",
        "made = DataclassFactory.create_factory(R).build()\nassert type(made) is R and repr(made)",
        _FIXED,
    )


def test_hypothesis_builds_valid_records_unasked(lake: Lake) -> None:
    each_works(
        lake,
        "from hypothesis import HealthCheck, Phase, given, settings, strategies as st\n"
        "few = settings(max_examples=5, deadline=None, database=None, phases=[Phase.generate],"
        " suppress_health_check=list(HealthCheck))",
        "for strategy in (st.from_type(R), st.lists(st.from_type(R), max_size=2), p.strategy(R)):\n"
        "    def are_valid(made):\n"
        "        for each in made if isinstance(made, list) else [made]:\n"
        "            each.validate()\n"
        "    few(given(strategy)(are_valid))()",
    )


def test_orjson_writes_a_records_plain_values(lake: Lake) -> None:
    each_works(
        lake,
        "import orjson",
        "assert R.from_json(orjson.dumps(r.to_dict(mode='json'))) == r",
    )


def test_hints_of_methods_and_functions_are_evaluated(lake: Lake) -> None:
    each_works(
        lake,
        "",
        "for name in ('to_dict', 'to_json', 'replace', 'from_avro', 'from_json', 'validate'):\n"
        "    assert typing.get_type_hints(getattr(R, name)), name\n"
        "for name in p.__all__:\n"
        "    if callable(getattr(p, name)):\n"
        "        typing.get_type_hints(getattr(p, name))",
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


def test_pydantic_describes_records_as_json_schema(lake: Lake) -> None:
    each_works(
        lake,
        "import pydantic",
        "for mode in ('validation', 'serialization'):\n"
        "    schema = pydantic.TypeAdapter(R).json_schema(mode=mode)\n"
        "    assert 'properties' in json.dumps(schema) and R.__name__ in json.dumps(schema)",
    )


def test_pydantic_tells_every_fault_with_its_place(lake: Lake) -> None:
    each_works(
        lake,
        "import pydantic",
        "plain = r.to_dict(mode='json')\n"
        "names = list(plain)[:2]\n"
        "Model = pydantic.create_model('Model', it=(R, ...))\n"
        "try:\n"
        "    Model.model_validate({'it': plain | dict.fromkeys(names, [[{}]])})\n"
        "except pydantic.ValidationError as error:\n"
        "    found = {fault['loc'][:2] for fault in error.errors()}\n"
        "    assert found >= {('it', name) for name in names}, found\n"
        "else:\n"
        "    raise AssertionError('no fault')",
    )


def test_fastapi_takes_and_documents_records(lake: Lake) -> None:
    program = """\
import json
from fastapi import FastAPI
from fastapi.testclient import TestClient
app = FastAPI()
def serve(p):
    R = p.RECORD
    @app.post("/" + p.RELATION)
    def create(record: R) -> R:
        return record
for p in packages:
    serve(p)
client = TestClient(app)
documented = client.get("/openapi.json")
assert documented.status_code == 200, documented.text[:500]
for p in packages:
    r = p.RECORD.example(3)
    headers = {"content-type": "application/json"}
    answer = client.post("/" + p.RELATION, content=r.to_json(), headers=headers)
    assert answer.status_code == 200, (p.RELATION, answer.text[:500])
    assert p.RECORD.from_json(answer.text) == r
    wrong = json.loads(r.to_json()) | {list(r.to_dict())[0]: [[{}]]}
    assert client.post("/" + p.RELATION, json=wrong).status_code == 422
    print(p.RELATION)
"""
    assert lake.ran_beside_libraries(program).split() == _NAMES


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
