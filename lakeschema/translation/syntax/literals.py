"""Reads constants and types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import hexdigits
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    DATE,
    DOUBLE,
    FLOAT,
    SMALLINT,
    TIME,
    TIMESTAMP,
    TIMESTAMP_LOCAL,
    TIMESTAMP_NTZ,
    TINYINT,
    ColumnType,
    DecimalType,
    parse_type,
)
from lakeschema.catalog.errors import MalformedType
from lakeschema.translation.model.errors import UnsupportedType
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.cursor import Cursor
from lakeschema.translation.syntax.interval_units import unit_of
from lakeschema.translation.syntax.lexing import END, STRING, WORD

TYPED_LITERALS: Final[Mapping[str, ColumnType]] = MappingProxyType(
    {
        "DATE": DATE,
        "TIME": TIME,
        "TIMESTAMP": TIMESTAMP,
        "TIMESTAMP_LTZ": TIMESTAMP_LOCAL,
        "TIMESTAMP_NTZ": TIMESTAMP_NTZ,
        "TIMESTAMPLOCALTZ": TIMESTAMP_LOCAL,
    }
)
_SUFFIXES: Final[Mapping[str, ColumnType]] = MappingProxyType(
    {"L": BIGINT, "S": SMALLINT, "Y": TINYINT, "D": DOUBLE, "F": FLOAT}
)


class Literals(Cursor):
    """Reads constants and types, in addition to the cursor's tokens."""

    def _string(self) -> tree.Expression:
        """Reads a string; ``'a' 'b'`` is one literal in both dialects."""
        text = self.advance().text
        while self.at.kind == STRING:
            text += self.advance().text
        return tree.StringLiteral(text)

    def _spaced_hexadecimal(self) -> tree.Expression:
        """Reads ``X '1F'``, which Spark takes for ``X'1F'``."""
        self.advance()
        digits = "".join(self.at.text.split())
        if not all(digit in hexdigits for digit in digits):
            self.fail("expected hexadecimal digits")
        self.advance()
        return tree.BinaryLiteral(digits)

    def _number(self, sign: str = "") -> tree.Expression:
        text = self.advance().text
        if self.grammar.bare_intervals and text.isdigit():
            unit = unit_of(self)
            if unit is not None:
                return tree.IntervalLiteral(tree.NumberLiteral(sign + text), unit)
        if text.startswith("."):
            text = f"0{text}"
        if text[-1].isdigit() or text[-1] == ".":
            return tree.NumberLiteral(sign + text)
        if text[-2:].upper() == "BD":
            number = tree.NumberLiteral(sign + text[:-2])
            if self.grammar.points_are_decimals and re.fullmatch(r"\d+\.\d*", text[:-2]):
                return number
            return tree.Cast(number, _decimal_of(text[:-2]))
        return tree.Cast(tree.NumberLiteral(sign + text[:-1]), _SUFFIXES[text[-1].upper()])

    def _null(self) -> tree.Expression:
        self.advance()
        return tree.NullLiteral()

    def _boolean(self) -> tree.Expression:
        return tree.BooleanLiteral(self.advance().word == "TRUE")

    def _interval_value(self) -> tree.Expression:
        sign = self.take_one_of("-", "+")
        if self.at.kind == STRING:
            text = self.advance().text
            if sign == "-":
                text = text[1:] if text.startswith("-") else f"-{text}"
            return tree.StringLiteral(text)
        return tree.NumberLiteral(("-" if sign == "-" else "") + self.advance().text)

    def type(self, of: str) -> ColumnType:
        """Reads a type, up to the first token that cannot continue it.

        Raises:
            UnsupportedType: the text is not a type.
        """
        start, token = self.index, self.at
        self._skip_type()
        text = self.text_since(start)
        try:
            return parse_type(text, timestamp_ltz=TIMESTAMP_LOCAL)
        except MalformedType as error:
            raise UnsupportedType(
                of, text, "it is not a type", position=self.position(token)
            ) from error

    def _skip_type(self) -> None:
        word = self.advance().word if self.at.kind == WORD else self.fail("expected a type")
        if word == "INTERVAL":
            unit_of(self)
        elif word == "DOUBLE":
            self.take("PRECISION")
        elif word == "TIMESTAMP" and self.take_one_of("WITH", "WITHOUT"):
            self.take("LOCAL")
            self.expect("TIME", "ZONE")
        if self.word in {"(", "<"}:
            self._skip_brackets()
        if self.word == "COLLATE":
            self.advance()
            self.name("a collation")

    def _skip_brackets(self) -> None:
        depth = 0
        while True:
            if self.at.kind == END:
                self.fail("expected the end of a type")
            word = self.advance().word
            if word in {"(", "<"}:
                depth += 1
            elif word in {")", ">"}:
                depth -= 1
            if depth == 0:
                return


def _decimal_of(text: str) -> DecimalType:
    """The type of a decimal literal, with as many digits as written."""
    mantissa, _, exponent = text.upper().partition("E")
    whole, _, fraction = mantissa.partition(".")
    scale = len(fraction) - int(exponent or 0)
    digits = len((whole + fraction).lstrip("0")) or 1
    if scale < 0:
        return DecimalType(max(digits - scale, 1), 0)
    return DecimalType(max(digits, scale, 1), scale)
