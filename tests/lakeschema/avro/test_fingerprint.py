from __future__ import annotations

import json

import avro.schema
import fastavro.schema
from hypothesis import assume, given

from lakeschema.avro.definitions import parts
from lakeschema.avro.fingerprint import canonical_form, crc64_avro, sha256
from lakeschema.avro.model import INT, Record, Reference
from lakeschema.avro.parsing import parse_schema
from lakeschema.avro.printing import to_json
from tests.lakeschema.avro.strategies import bare, schemas


def test_fingerprints_of_int_are_those_of_the_specification() -> None:
    assert canonical_form(INT) == '"int"'
    assert crc64_avro(INT) == 0x7275D51A3F395C8F
    assert sha256(INT) == "3f2b87a9fe7cc9b13835598c3981cd45e3e355309e5090aa0933d7becb6fba45"


@given(schemas())
def test_fastavro_says_the_same(schema: Record) -> None:
    canonical = canonical_form(schema)

    assert canonical == fastavro.schema.to_parsing_canonical_form(to_json(schema))
    little_endian = crc64_avro(schema).to_bytes(8, "little").hex()
    assert little_endian == fastavro.schema.fingerprint(canonical, "CRC-64-AVRO")


@given(schemas())
def test_apache_avro_says_the_same(schema: Record) -> None:
    # For Python it does not reduce {"type": "int"} beside a logical type, nor fixed references.
    assume(not any(isinstance(part, Reference) for part in parts(schema)))

    theirs = avro.schema.parse(json.dumps(bare(to_json(schema))))

    assert bytes.fromhex(sha256(schema)) == theirs.fingerprint("sha256")
    assert crc64_avro(schema).to_bytes(8, "little") == theirs.fingerprint("CRC-64-AVRO")


@given(schemas())
def test_the_canonical_form_reads_and_fingerprints_as_itself(schema: Record) -> None:
    again = parse_schema(canonical_form(schema))

    assert canonical_form(again) == canonical_form(schema)
