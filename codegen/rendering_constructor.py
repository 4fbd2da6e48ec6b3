"""Renders a record class's constructor, and the mutable defaults that each record gets separately."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from codegen.annotations import Annotations, name_inside
from codegen.default_values import DefaultExpression
from codegen.shapes import (
    Attribute,
    DictShape,
    EntriesShape,
    ListShape,
    RecordClass,
    Shape,
    UnionShape,
)
from codegen.source import Lines

_NAME = re.compile(r"[A-Za-z]\w*")
_EMPTY = {"[]": "__empty_list__", "{}": "__empty_dict__"}
"""Empty mutable defaults, with the names that stand for them in the signature."""

_MAX_SHOWN_DEFAULT = 200
"""The longest default that the signature shows."""


@lru_cache(10_000)
def is_mutable(shape: Shape) -> bool:
    match shape:
        case ListShape() | DictShape() | EntriesShape():
            return True
        case UnionShape(branches):
            return any(map(is_mutable, branches))
        case _:
            return False


class Constructor:
    """Renders a record's constructor.

    ``annotations`` writes annotations in functions, ``in_class`` in the body of the class.
    """

    def __init__(
        self,
        lines: Lines,
        record: RecordClass,
        annotations: Annotations,
        in_class: Annotations,
        defaults: Mapping[str, DefaultExpression],
        *,
        immutable: bool,
    ) -> None:
        self._lines = lines
        self._record = record
        self._annotations = annotations
        self._in_class = in_class
        self._hidden = in_class.hidden_classes
        self._defaults = defaults
        self._immutable = immutable

    def factories(self) -> None:
        """Adds functions, before the class, that make the mutable defaults that are not empty."""
        for attribute in self._record.attributes:
            self._factory(attribute)

    def _factory(self, attribute: Attribute) -> None:
        default = self._defaults.get(attribute.field)
        if default is None or not self._is_fresh(default) or default.text in _EMPTY:
            return
        lines = self._lines
        annotation = self._annotations.of(attribute.shape)
        lines.add("", "")
        with lines.block(f"def {self._factory_name(attribute)}() -> {annotation}:"):
            lines.add(f"return {default.text}")

    def _factory_name(self, attribute: Attribute) -> str:
        # With the length of the class's name, ``A_b.c`` and ``A.b_c`` have different factories.
        name = self._record.class_name
        return f"__default_{len(name)}_{name}_{attribute.name}__"

    def method(self) -> None:
        lines, record = self._lines, self._record
        boolean = self._annotations.builtin("bool")
        parameters = "".join(f"{self._parameter(attribute)}, " for attribute in record.attributes)
        with lines.block(f"def __init__(self, *, {parameters}strict: {boolean} = False) -> None:"):
            if self._immutable:
                self._set_once()
            else:
                for attribute in record.attributes:
                    lines.add(f"self.{attribute.name} = {self._initial(attribute)}")
            with lines.block("if strict:"):
                lines.add("try:", "    self.validate()", "except __AvroError__ as __error__:")
                # Of the package's frames, the traceback shows only the constructor's.
                lines.add("    raise __error__.with_traceback(None) from None")
        self._own_defaults()

    def _own_defaults(self) -> None:
        """Adds code that gives each record separate mutable defaults. The signature only shows them."""
        places = [
            f"{attribute.name}={_placeholder(default)}"
            for attribute in self._record.attributes
            if (default := self._defaults.get(attribute.field)) and self._is_shown(default)
        ]
        if places:
            with self._lines.block("if not TYPE_CHECKING:"):
                self._lines.add(f"__init__.__kwdefaults__.update({', '.join(places)})")

    def _set_once(self) -> None:
        """Adds code that sets attributes. Before, a record has a draft class with the same slots."""
        lines, record = self._lines, self._record
        if not record.attributes:
            return
        lines.add(f'__put__(self, "__class__", __draft_{record.class_name}__)')
        for attribute in record.attributes:
            value = self._initial(attribute)
            if is_mutable(attribute.shape):
                value = f"__freeze__({value})"
            lines.add(f"self.{attribute.name} = {value}")
        lines.add(f'__put__(self, "__class__", {name_inside(record.class_name)})')

    def _parameter(self, attribute: Attribute) -> str:
        annotated = f"{attribute.name}: {self._in_class.of(attribute.shape)}"
        default = self._defaults.get(attribute.field)
        if default is None:
            return annotated
        if self._is_fresh(default) and not self._is_shown(default):
            return f"{annotated} = {_placeholder(default)}"
        name = _NAME.match(default.text)
        if name is not None and name.group() in self._hidden:
            return f"{annotated} = {name_inside(name.group())}{default.text[name.end() :]}"
        return f"{annotated} = {default.text}"

    def _is_fresh(self, default: DefaultExpression) -> bool:
        return default.fresh and not (self._immutable and default.text == "()")

    def _is_shown(self, default: DefaultExpression) -> bool:
        """Whether the signature can show the expression of a mutable default."""
        if not self._is_fresh(default) or default.records:
            return False
        words = set(_NAME.findall(default.text))
        return len(default.text) <= _MAX_SHOWN_DEFAULT and words.isdisjoint(self._hidden)

    def _initial(self, attribute: Attribute) -> str:
        default = self._defaults.get(attribute.field)
        if default is None or not self._is_fresh(default):
            return attribute.name
        empty = default.text in _EMPTY
        fresh = default.text if empty else f"{self._factory_name(attribute)}()"
        return f"{fresh} if {attribute.name} is {_placeholder(default)} else {attribute.name}"


def _placeholder(default: DefaultExpression) -> str:
    return _EMPTY.get(default.text, "__unset__")
