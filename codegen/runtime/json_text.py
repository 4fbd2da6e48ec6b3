"""JSON text and documents of records, in each form.

Every fault of a text raises ``InvalidValue``. Time and memory are proportional to the text: numbers
with too many digits, repeated keys and deep nesting are refused.
"""

from __future__ import annotations

import functools
import importlib
import json
from _thread import allocate_lock
from collections.abc import Callable
from typing import Any, Final

from .acceptance import accept
from .binding import Binding
from .errors import AvroError, InvalidValue, short_repr
from .json_avro import AvroForm
from .json_documents import COMPACT, Convert, Form, Readers, Writers, WrittenNumber, object_of
from .json_plain import PlainForm
from .plain import is_ignored
from .schema import MAX_DIGITS, Node

_FORMS: Final[dict[str, Callable[[Binding], Form]]] = {"avro": AvroForm, "plain": PlainForm}


COMPILE_AFTER: Final = 8
"""Compiling takes as long as reading or writing some thirty records with the general functions."""


class Compiled:
    """A function that is compiled after ``COMPILE_AFTER`` calls.

    A call returns None if the caller must use the general functions: before the function is
    compiled, and whenever the compiled function raises an exception.
    """

    def __init__(self, compile_function: Callable[[], Callable[[Any], Any]]) -> None:
        self._compile = compile_function
        self._lock = allocate_lock()
        self._asked = 0
        self._function: Callable[[Any], Any] | None = None

    def __call__(self, given: Any) -> Any:
        function = self._function
        if function is None:
            self._asked += 1
            if self._asked <= COMPILE_AFTER:
                return None
            with self._lock:
                if self._function is None:
                    self._function = self._compile()
            function = self._function
        try:
            return function(given)
        except Exception:  # noqa: BLE001 - the rules themselves say what it was
            return None


def to_json(binding: Binding, name: str, value: Any, form: str, indent: int | None) -> str:
    """A record as JSON text; compact, unless it is indented.

    Raises:
        InvalidValue: the record has an invalid value, or is nested too deeply.
    """
    if indent is None:
        text: str | None = _text_writer(binding, name, form)(value)
        if text is not None:
            return text
    try:
        document = _document(binding, name, value, form)
        if indent is None:
            return COMPACT.encode(document)
        return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent)
    except RecursionError:
        raise _too_deep("value") from None


def from_json(binding: Binding, name: str, text: str | bytes, form: str, unknown: str) -> Any:
    """A record of JSON text, which is in UTF-8 if it is bytes.

    Raises:
        InvalidValue: the text is not JSON, or not a value of the schema.
    """
    record = _text_reader(binding, name, form, unknown)(text)
    if record is not None:
        return record
    return _read(reader_of(binding, name, form, unknown), _parse(text))


def to_document(binding: Binding, name: str, value: Any, mode: str) -> dict[str, Any]:
    """A record in the plain form, for ``json.dumps``."""
    _check_mode(mode)
    try:
        document: dict[str, Any] = _document(binding, name, value, "plain")
    except RecursionError:
        raise _too_deep("value") from None
    return document


def _document(binding: Binding, name: str, value: Any, form: str) -> Any:
    write = writer_of(binding, name, form)
    try:
        return write(value)
    except InvalidValue:
        # ``accept`` raises an error with all faults, not only the first.
        accept(binding, binding.nodes[name], value, "")
        raise


def from_document(binding: Binding, name: str, document: Any, mode: str, unknown: str) -> Any:
    """A record from the plain form, as ``json.loads`` returns it."""
    _check_mode(mode)
    return _read(reader_of(binding, name, "plain", unknown), document)


@functools.lru_cache(1_000)
def writer_of(binding: Binding, name: str, form: str) -> Convert:
    """A function that makes a document of a record."""
    return _writers(binding, form).of(binding.nodes[name])


@functools.lru_cache(1_000)
def reader_of(binding: Binding, name: str, form: str, unknown: str) -> Convert:
    """A function that makes a record of a document."""
    return _readers(binding, form, unknown).of(binding.nodes[name])


@functools.lru_cache(1_000)
def _text_writer(binding: Binding, name: str, form: str) -> Compiled:
    writers = _writers(binding, form)

    def compile_writer() -> Callable[[Any], Any]:
        # Only programs that write many records import this module.
        module: Any = importlib.import_module(".json_writing", __package__)
        writer: Callable[[Any], Any] = module.json_writer(binding, binding.nodes[name], writers)
        return writer

    return Compiled(compile_writer)


@functools.lru_cache(1_000)
def _text_reader(binding: Binding, name: str, form: str, unknown: str) -> Compiled:
    readers = _readers(binding, form, unknown)

    def compile_reader() -> Callable[[Any], Any]:
        module: Any = importlib.import_module(".json_reading", __package__)
        reader: Callable[[Any], Any] = module.json_reader(binding, binding.nodes[name], readers)
        return reader

    return Compiled(compile_reader)


@functools.lru_cache(8)
def _writers(binding: Binding, form: str) -> Writers:
    return Writers(binding, _form(binding, form))


@functools.lru_cache(8)
def _readers(binding: Binding, form: str, unknown: str) -> Readers:
    return Readers(binding, _form(binding, form), ignores_unknown=is_ignored(unknown))


def part_writer(binding: Binding, node: Node) -> Convert:
    """A function that converts one part of a record to a document in the plain form."""
    return _writers(binding, "plain").of(node)


def part_reader(binding: Binding, node: Node) -> Convert:
    """A function that converts a document in the plain form to one part of a record."""
    return _readers(binding, "plain", "refuse").of(node)


def _form(binding: Binding, form: str) -> Form:
    if form not in _FORMS:
        raise InvalidValue("form", f"expected 'plain' or 'avro', got {short_repr(form)}")
    return _FORMS[form](binding)


def _check_mode(mode: str) -> None:
    if mode != "json":
        raise InvalidValue("mode", f"expected 'python' or 'json', got {short_repr(mode)}")


def _read(convert: Convert, document: Any) -> Any:
    try:
        return convert(document)
    except RecursionError:
        raise _too_deep("value") from None
    except MemoryError:
        raise InvalidValue("", "the value does not fit into memory") from None


def _too_deep(what: str) -> InvalidValue:
    return InvalidValue("", f"the {what} is nested too deeply, or contains itself")


def _parse(text: str | bytes) -> Any:
    try:
        if not isinstance(text, str):
            if not isinstance(text, (bytes, bytearray, memoryview)):
                raise InvalidValue("", f"expected str or bytes, got {short_repr(text)}")
            # Some programs begin a file with a byte order mark.
            text = bytes(text).decode("utf-8-sig")
        return _DECODER.decode(text)
    except AvroError:
        raise
    except UnicodeDecodeError as error:
        raise InvalidValue("", f"the text is not UTF-8: byte {error.start}") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InvalidValue("", f"the text is not JSON: {error.msg.lower()} at {place}") from None
    except RecursionError:
        raise InvalidValue("", "the text is nested too deeply") from None
    except MemoryError:
        raise InvalidValue("", "the text does not fit into memory") from None


def _integer(digits: str) -> int:
    """An integer of limited length.

    Python needs quadratic time, and a program may lift Python's limit.
    """
    if len(digits) > MAX_DIGITS + 1:
        raise InvalidValue("", f"a number has {len(digits)} digits; at most {MAX_DIGITS} are read")
    return int(digits)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=object_of, parse_int=_integer, parse_float=WrittenNumber
)
