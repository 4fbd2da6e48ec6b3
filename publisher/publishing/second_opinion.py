"""Checks a wheel with two other implementations of Avro, and with Python, before it is published."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final
from uuid import UUID

import avro.schema
import fastavro

from codegen.errors import CodegenError
from codegen.layout import lay_out
from codegen.package import Wheel
from lakeschema.avro.json_text import compact
from lakeschema.avro.model import Record
from lakeschema.avro.printing import to_json, to_text
from lakeschema.avro.properties import without_properties
from publisher.publishing.imported_package import compile_modules, imported, package_files
from publisher.publishing.packaging_protocol import OpinionMode
from publisher.publishing.sample_values import Value, sample_values, with_defaults
from publisher.publishing.schema_shapes import shapes_of

SAMPLED_ONE_IN: Final = 64
"""Of this many wheels without a new shape, one is checked."""

MAX_WHEEL_BYTES: Final = 4 * 1024 * 1024
"""The size of the largest wheel that is checked. A wheel with 4,000 columns takes a second to compile."""

_MAX_REASON_CHARACTERS = 400


class SecondOpinionFailed(CodegenError):
    hint = "the generator is wrong about this schema, or its wheel cannot be used: report it"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"second opinion: {self.reason}"


class SecondOpinions:
    """The checks in one process, which has one version of the generator.

    A wheel is checked if its schema has a shape that is new to the process, such as a type in a map.
    Of other wheels a sample is checked, chosen by their bytes.
    """

    def __init__(self, mode: OpinionMode) -> None:
        self._mode = mode
        self._checked: set[str] = set()

    def require(self, wheel: Wheel, schema: Record) -> None:
        """Checks the wheel, if the mode and its bytes require a check.

        Raises:
            SecondOpinionFailed: another implementation does not read what this package writes.
        """
        if self._mode == "off" or len(wheel.data) > MAX_WHEEL_BYTES:
            return
        shapes = shapes_of(schema)
        is_sample = int(wheel.sha256[:8], 16) % SAMPLED_ONE_IN == 0
        if self._mode == "sampled" and shapes <= self._checked and not is_sample:
            return
        reason = check(wheel.data, schema)
        if reason is not None:
            raise SecondOpinionFailed(reason)
        self._checked |= shapes


class _Disagreement(Exception):
    pass


def check(wheel: bytes, schema: Record) -> str | None:
    """The error in a schema's wheel, or None."""
    try:
        with _step("the wheel cannot be read"):
            files = package_files(wheel)
            text = files["schema.avsc"].decode()
        _agree(
            text.removesuffix("\n") == to_text(schema), "schema.avsc is not the schema asked for"
        )
        theirs = _parse(schema)
        with _step("a module does not compile"):
            modules = compile_modules(files)
        with _step("the package cannot be imported or used"), imported(modules) as (package, codec):
            _agree(text.removesuffix("\n") == package.SCHEMA, "SCHEMA is not the text of the wheel")
            _compare(package, codec, theirs, schema)
    except _Disagreement as error:
        return str(error)[:_MAX_REASON_CHARACTERS]
    except RecursionError:
        # The schema is too deep for the other implementations, which does not make it wrong.
        return None
    return None


@contextmanager
def _step(failure: str) -> Iterator[None]:
    try:
        yield
    except (_Disagreement, RecursionError):
        raise
    except Exception as error:
        # The block runs foreign code, or generated code that may be wrong, so any error counts as a
        # disagreement.
        raise _Disagreement(f"{failure}: {type(error).__name__}: {error}") from error


def _agree(agreed: bool, failure: str) -> None:
    if not agreed:
        raise _Disagreement(failure)


def _parse(schema: Record) -> Any:
    """The schema as fastavro parses it, if Apache Avro accepts it too.

    Properties are removed, since both libraries refuse annotations that readers should ignore.
    """
    stated = to_json(without_properties(schema))
    with _step("fastavro does not accept the schema"):
        theirs = fastavro.parse_schema(stated)
    with _step("Apache Avro does not accept the schema"), warnings.catch_warnings():
        # Apache Avro warns about logical types that it does not know.
        warnings.simplefilter("ignore")
        avro.schema.parse(compact(stated))
    return theirs


def _compare(package: ModuleType, codec: ModuleType, theirs: Any, schema: Record) -> None:
    for value in sample_values(schema):
        data = _write(theirs, value)
        record = package.RECORD.from_avro(data)
        _agree(record.to_avro() == data, "a value that fastavro wrote is written differently")
        plain = record.to_dict()
        _agree(_is_same(plain, _read(theirs, data)), "a value is not the one that fastavro reads")
        again = package.RECORD.from_dict(plain)
        _agree(again.to_avro() == data, "a value does not come back from its dictionary")
        _compare_defaults(package, codec, theirs, schema, value)


def _compare_defaults(
    package: ModuleType, codec: ModuleType, theirs: Any, schema: Record, value: Value
) -> None:
    """Checks that a record made from its required fields gets the schema's defaults for the others.

    Defaults that Python cannot represent are left out.
    """
    record = package.RECORD.from_avro(_write(theirs, value))
    attributes = codec.BINDING.attributes[schema.full_name]
    plain = record.to_dict()
    layout = lay_out(schema)
    held = layout.defaults[layout.shape.root.class_name]
    required = [
        (field.name, attribute)
        for field, attribute in zip(schema.fields, attributes, strict=True)
        if field.name not in held
    ]
    built = package.RECORD(**{attribute: getattr(record, attribute) for _, attribute in required})
    read = package.RECORD.from_dict({name: plain[name] for name, _ in required})
    expected = _read(theirs, _write(theirs, with_defaults(schema, value, held)))
    for made in (built, read):
        # Texts are compared, because NaN is not equal to itself.
        _agree(
            repr(_read(theirs, made.to_avro())) == repr(expected), "a default is not the schema's"
        )


def _write(theirs: Any, value: Value) -> bytes:
    target = io.BytesIO()
    fastavro.schemaless_writer(target, theirs, value)
    return target.getvalue()


def _read(theirs: Any, data: bytes) -> Any:
    source = io.BytesIO(data)
    value = fastavro.schemaless_reader(source, theirs, None)
    _agree(source.tell() == len(data), "fastavro does not read the whole value")
    return value


def _is_same(ours: Any, theirs: Any) -> bool:
    match ours:
        case (str(), value):
            # fastavro reads a union's value without the name of the branch.
            return _is_same(value, theirs)
        case dict():
            return (
                isinstance(theirs, dict)
                and list(ours) == list(theirs)
                and all(_is_same(ours[key], theirs[key]) for key in ours)
            )
        case list():
            return isinstance(theirs, list) and _are_same(ours, theirs)
        case UUID() if isinstance(theirs, bytes):
            # fastavro leaves fixed types as bytes.
            return ours.bytes == theirs
        case _ if type(ours).__module__.startswith("_"):
            # The value has a class of the package, such as an enum. Only its bytes are compared, elsewhere.
            return True
        case _:
            return type(ours) is type(theirs) and bool(ours == theirs)


def _are_same(ours: list[Any], theirs: list[Any]) -> bool:
    return len(ours) == len(theirs) and all(map(_is_same, ours, theirs))
