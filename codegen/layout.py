"""Makes all decisions about a schema's package before it is rendered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from codegen.default_values import Defaults, evaluate_defaults
from codegen.lowering import lower
from codegen.shapes import PackageShape
from codegen.zero_byte_records import check_zero_byte_records
from lakeschema.avro.fingerprint import Fingerprints, fingerprints
from lakeschema.avro.model import Record
from lakeschema.avro.printing import to_text


@dataclass(frozen=True)
class Layout:
    """The decided layout of a package. Its schema has no problem, so rendering never fails."""

    schema: Record
    shape: PackageShape
    defaults: Defaults

    @cached_property
    def text(self) -> str:
        return to_text(self.schema)

    @cached_property
    def fingerprints(self) -> Fingerprints:
        return fingerprints(self.schema)


def lay_out(schema: Record, *, immutable: bool = False) -> Layout:
    """Decides the classes, names and defaults of a schema's package.

    Raises:
        UnfitSchema: the schema cannot be laid out in Python.
        IllegalDefault: a field's default does not fit its type.
    """
    check_zero_byte_records(schema)
    shape = replace(lower(schema), immutable=immutable)
    return Layout(schema, shape, evaluate_defaults(shape))
