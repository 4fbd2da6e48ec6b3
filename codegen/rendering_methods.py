"""Renders the methods of a record's class that read and write records."""

from __future__ import annotations

from collections.abc import Callable

from codegen.annotations import name_inside
from codegen.shapes import RecordClass
from codegen.source import literal

_METHODS = """
    __replace__ = replace

    def validate(self) -> __typing__.Self:
        \"""The record itself, if it can be written; an error names the path of an invalid value.\"""
        _codec.to_avro_%(name)s(self)
        return self

    def __rich_repr__(self) -> __typing__.Any:
        return __records__.rich_repr(self)

    if TYPE_CHECKING:
        SCHEMA: __typing__.ClassVar[%(str)s]
        \"""The Avro schema of the class, complete, as JSON text.\"""
        __dataclass_fields__: __typing__.ClassVar[%(dict)s[%(str)s, __typing__.Any]]

        @%(classmethod)s
        def of(cls, other: %(object)s) -> %(shown)s:
            \"""%(of_doc)s\"""
            ...
    else:
        of = __of__
        __getstate__ = __state_of__
        __setstate__ = __restore__
        SCHEMA = __schema_text__(_codec, %(full_name)s)
        __dataclass_fields__ = __fields__
        __dataclass_params__ = __params__
        __get_pydantic_core_schema__ = __pydantic_schema__
        __get_pydantic_json_schema__ = __pydantic_json_schema__

    @%(classmethod)s
    def example(cls, seed: %(int)s = 0) -> %(shown)s:
        \"""A record of made-up values that can be written, the same for an equal seed.\"""
        record: %(inside)s = __examples__.example(_codec.BINDING, %(full_name)s, seed)
        return record

    def to_avro(self) -> %(bytes)s:
        \"""Avro's binary encoding, without a header.\"""
        data: %(bytes)s = _codec.to_avro_%(name)s(self)
        return data

    @%(classmethod)s
    def from_avro(
        cls,
        data: %(bytes)s,
        writer_schema: %(str)s | None = None,
        *,
        round_times: %(bool)s = False,
    ) -> %(shown)s:
        \"""Reads the bytes of ``to_avro``, or those of another writer's schema.\"""
        if writer_schema is not None:
            return cls.resolve_from(writer_schema, round_times=round_times)(data)
        record: %(inside)s = _codec.from_avro_%(name)s(data)
        return record

    @%(classmethod)s
    def resolve_from(
        cls, writer_schema: %(str)s, *, round_times: %(bool)s = False
    ) -> _Callable[[%(bytes)s], %(shown)s]:
        \"""A function that reads bytes written with another schema.

        ``round_times`` rounds times that are finer than this schema's unit down; else an error.
        \"""
        read: _Callable[[%(bytes)s], %(inside)s] = _codec.resolve_from(
            %(full_name)s, writer_schema, round_times=round_times
        )
        return read

    def to_dict(self, mode: __typing__.Literal["python", "json"] = "python") -> %(dict)s[%(str)s, __typing__.Any]:
        \"""Plain values, as fastavro and Confluent's serialisers take them, or as ``json`` does.\"""
        if mode != "python":
            document: %(dict)s[%(str)s, __typing__.Any] = _json.to_document(
                _codec.BINDING, %(full_name)s, self, mode
            )
            return document
        plain: %(dict)s[%(str)s, __typing__.Any] = _codec.to_dict(%(full_name)s, self)
        return plain

    @%(classmethod)s
    def from_dict(
        cls,
        plain: %(dict)s[%(str)s, __typing__.Any],
        mode: __typing__.Literal["python", "json"] = "python",
        unknown: __typing__.Literal["refuse", "ignore"] = "refuse",
    ) -> %(shown)s:
        \"""Reads plain values; an error names the path of the invalid one.

        Of ``unknown`` things that are ignored, fields are left out; a symbol is its enum's default.
        \"""
        if mode != "python":
            read: %(inside)s = _json.from_document(
                _codec.BINDING, %(full_name)s, plain, mode, unknown
            )
            return read
        record: %(inside)s = _codec.from_dict(%(full_name)s, plain, unknown)
        return record

    def to_json(
        self, form: __typing__.Literal["plain", "avro"] = "plain", indent: %(int)s | None = None
    ) -> %(str)s:
        \"""JSON: plain, or in Avro's JSON encoding; both read back as an equal record.\"""
        text: %(str)s = _json.to_json(_codec.BINDING, %(full_name)s, self, form, indent)
        return text

    @%(classmethod)s
    def from_json(
        cls,
        text: %(str)s | %(bytes)s,
        form: __typing__.Literal["plain", "avro"] = "plain",
        unknown: __typing__.Literal["refuse", "ignore"] = "refuse",
    ) -> %(shown)s:
        \"""Reads JSON of that form; in the plain one, missing fields have their defaults.

        Of ``unknown`` things that are ignored, fields are left out; a symbol is its enum's default.
        \"""
        record: %(inside)s = _json.from_json(_codec.BINDING, %(full_name)s, text, form, unknown)
        return record

    def to_single_object(self) -> %(bytes)s:
        \"""Avro's single-object encoding, which identifies the schema by fingerprint.\"""
        data: %(bytes)s = _framing.to_single_object(_codec.BINDING, %(full_name)s, self)
        return data

    @%(classmethod)s
    def from_single_object(
        cls,
        data: %(bytes)s,
        schemas: _Mapping[%(int)s, %(str)s] | _Callable[[%(int)s], %(str)s | None] | None = None,
        *,
        round_times: %(bool)s = False,
    ) -> %(shown)s:
        \"""Reads a single object; ``schemas``: fingerprint to schema, of other writers.

        It need not know this version's schema, nor those of earlier ones.
        \"""
        record: %(inside)s = _framing.from_single_object(
            _codec.BINDING, %(full_name)s, data, schemas, _codec.narrowing(round_times=round_times)
        )
        return record

    def to_confluent(self, schema_id: %(int)s) -> %(bytes)s:
        \"""Confluent's wire format, which identifies the schema by a registry's id.\"""
        data: %(bytes)s = _framing.to_confluent(_codec.BINDING, %(full_name)s, self, schema_id)
        return data

    @%(classmethod)s
    def from_confluent(
        cls,
        data: %(bytes)s,
        schema_of: _Mapping[%(int)s, %(str)s] | _Callable[[%(int)s], %(str)s],
        *,
        round_times: %(bool)s = False,
    ) -> %(shown)s:
        \"""Reads Confluent's wire format; ``schema_of``: id to schema.\"""
        record: %(inside)s = _framing.from_confluent(
            _codec.BINDING, %(full_name)s, data, schema_of, _codec.narrowing(round_times=round_times)
        )
        return record"""

OF_DOC = "The value itself, or as this class what another package has of the same type."


def _with_short_tracebacks(methods: str) -> str:
    """The methods, changed so that tracebacks of errors end with the caller's line and the method.

    The errors name the problem by path. Further frames of minified code would hide the caller's line.
    """
    made: list[str] = []
    body: list[str] = []
    for line in [*methods.split("\n"), ""]:
        if body and not line.startswith(" " * 8):
            made += ["        try:", *(f"    {each}" for each in body), *_RAISED_AGAIN]
            body = []
        if body or line.lstrip().startswith(_FIRST_STATEMENTS):
            body.append(line)
        else:
            made.append(line)
    return "\n".join(made[:-1])


_FIRST_STATEMENTS = (
    "_codec.to_avro_", "if writer_schema is not None:", "data: %(bytes)s = ", "if mode != ", "text: %(str)s = ",
    "record: %(inside)s = ",
)  # fmt: skip
_RAISED_AGAIN = (
    "        except __AvroError__ as error:",
    "            raise error.with_traceback(None) from None",
)
_SHORT_METHODS = _with_short_tracebacks(_METHODS)

_BUILTINS = ("bool", "bytes", "classmethod", "dict", "int", "object", "str")


def codec_methods(record: RecordClass, shown: str, builtin: Callable[[str], str]) -> str:
    """The methods of a record's class that read and write it.

    ``builtin`` qualifies the name of a builtin that a class or an attribute hides.

    ``shown`` is the class's name in signatures.
    """
    names = {name: builtin(name) for name in _BUILTINS}
    name = record.class_name
    names |= {
        "name": name,
        "shown": shown,
        "inside": name_inside(name),
        "full_name": literal(record.full_name),
        "of_doc": OF_DOC,
    }
    return _SHORT_METHODS % names
