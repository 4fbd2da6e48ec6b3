"""The methods of a record's class that put its bytes into frames and take them out."""

from __future__ import annotations

from collections.abc import Callable

from codegen.shapes import RecordClass
from codegen.source import Lines, literal


def framing_methods(lines: Lines, record: RecordClass, builtin: Callable[[str], str]) -> None:
    """``builtin`` qualifies a builtin's name where a class or an attribute hides it."""
    name, full_name = record.class_name, literal(record.full_name)
    data, text, number = builtin("bytes"), builtin("str"), builtin("int")
    classmethod_ = f"@{builtin('classmethod')}"
    lines.add("")
    with lines.block(f"def to_single_object(self) -> {data}:"):
        lines.docstring("Avro's single-object encoding, which names the schema by fingerprint.")
        call = f"_framing.to_single_object(_codec.BINDING, {full_name}, self)"
        lines.add(f"data: {data} = {call}", "return data", "")
    lines.add(classmethod_, "def from_single_object(")
    lines.add(
        "    cls,",
        f"    data: {data},",
        f"    schemas: _Mapping[{number}, {text}] "
        f"| _Callable[[{number}], {text} | None] | None = None,",
    )
    with lines.block(f") -> {name}:"):
        lines.docstring(
            "Reads a single object; ``schemas`` gives the schema of a fingerprint not the class's."
        )
        call = f"_framing.from_single_object(_codec.BINDING, {full_name}, data, schemas)"
        lines.add(f"record: {name} = {call}", "return record", "")
    with lines.block(f"def to_confluent(self, schema_id: {number}) -> {data}:"):
        lines.docstring("Confluent's wire format, which names the schema by a registry's id.")
        call = f"_framing.to_confluent(_codec.BINDING, {full_name}, self, schema_id)"
        lines.add(f"data: {data} = {call}", "return data", "")
    lines.add(classmethod_)
    schema_of = f"schema_of: _Callable[[{number}], {text}]"
    with lines.block(f"def from_confluent(cls, data: {data}, {schema_of}) -> {name}:"):
        lines.docstring("Reads Confluent's wire format; ``schema_of`` gives the schema of an id.")
        call = f"_framing.from_confluent(_codec.BINDING, {full_name}, data, schema_of)"
        lines.add(f"record: {name} = {call}", "return record")
