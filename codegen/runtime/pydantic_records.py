"""Tells pydantic how to read records, write them as plain values, and describe their JSON."""

from __future__ import annotations

import importlib
from typing import Any

from .aliases import nodes
from .binding import Binding
from .errors import InvalidValue
from .json_schema import JsonSchemas
from .lazy import home_of
from .lenient import Fault, faults_of, read_leniently
from .schema import Node


def core_schema_of(record_class: Any) -> Any:
    """How pydantic reads and writes a record: by the package's own rules, with all faults."""
    core, error = _libraries()

    def read(value: Any, info: Any) -> Any:
        if isinstance(value, record_class):
            try:
                return value.validate()
            except InvalidValue as invalid:
                raise refusal(faults_of(invalid, (), value)) from None
        binding, name = home_of(record_class)
        is_json = info.mode == "json"
        record, faults = read_leniently(binding, binding.nodes[name], value, is_json=is_json)
        if faults:
            raise refusal(faults)
        return record

    def refusal(faults: list[Fault]) -> Exception:
        found: Exception = error.ValidationError.from_exception_data(
            record_class.__name__, [_line(error, fault) for fault in faults]
        )
        return found

    return core.with_info_plain_validator_function(
        read,
        ref=_reference(record_class),
        serialization=core.plain_serializer_function_ser_schema(
            lambda record, info: record.to_dict(mode=info.mode), info_arg=True
        ),
    )


_KINDS = {"missing": "missing", "unexpected": "extra_forbidden", "invalid": "value_error"}


def _line(error: Any, fault: Fault) -> dict[str, Any]:
    # The reason is a parameter of the message, because it may contain braces.
    kind = error.PydanticCustomError(_KINDS[fault.kind], "{reason}", {"reason": fault.reason})
    return {"type": kind, "loc": fault.steps, "input": fault.value}


def json_schema_of(record_class: type, handler: Any) -> Any:
    """JSON Schema of a record in the handler's mode; other types are references to definitions."""
    core, _ = _libraries()
    binding, name = home_of(record_class)
    root = binding.nodes[name]
    others = [
        core.any_schema(
            ref=_reference(binding.classes[node.name]),
            metadata={"pydantic_js_functions": [_Definition(binding, node)]},
        )
        for node in nodes(root)
        if node is not root
        and (node.kind == "enum" or (node.kind == "record" and node.name in binding.readers))
    ]
    # Tells pydantic the definitions to which the references lead.
    handler(core.definitions_schema(core.any_schema(), others))
    return _Definition(binding, root)(None, handler)


class _Definition:
    """Gives pydantic the JSON Schema of one named type."""

    def __init__(self, binding: Binding, node: Node) -> None:
        self._binding = binding
        self._node = node

    def __call__(self, _: Any, handler: Any) -> Any:
        core, _ = _libraries()

        def reference(node: Node) -> Any:
            name = _reference(self._binding.classes[node.name])
            return handler(core.definition_reference_schema(name))

        return JsonSchemas(self._binding, handler.mode, reference).definition(self._node)


def _reference(class_: type) -> str:
    """A reference in pydantic's form: the part before the colon becomes the definition's title."""
    return f"{class_.__module__}.{class_.__qualname__}:{id(class_)}"


def _libraries() -> tuple[Any, Any]:
    # Only pydantic calls this, so it is installed.
    return (
        importlib.import_module("pydantic_core.core_schema"),
        importlib.import_module("pydantic_core"),
    )
