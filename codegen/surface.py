"""Computes a hash of the names that programs can use in a schema's package.

The hash answers one question: does this generator still give a published schema the same names and
types? Only hashes of the same schema are compared, so an added field does not matter.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any, assert_never

from codegen.annotations import Annotations
from codegen.lowering import lower
from codegen.shapes import EnumClass, FixedClass, NamedClass, PackageShape, RecordClass
from lakeschema.avro.model import NoDefault, Record


def surface_hash(schema: Record, import_package: str, *, immutable: bool = False) -> str:
    """SHA-256, in hex, of the import name, and of classes, attributes and members with their types.

    Documentation, default values and the codec are not included.

    Raises:
        UnfitSchema: the schema cannot be laid out in Python.
    """
    return surface_hash_of(replace(lower(schema), immutable=immutable), import_package)


def surface_hash_of(shape: PackageShape, import_package: str) -> str:
    """The ``surface_hash`` of a package with this shape."""
    annotations = Annotations((), immutable=shape.immutable)
    surface = [import_package, shape.root.class_name]
    surface += ["immutable"] if shape.immutable else []
    surface += sorted(json.dumps(_named(each, annotations)) for each in shape.classes)
    return hashlib.sha256(json.dumps(surface).encode()).hexdigest()


def _named(each: NamedClass, annotations: Annotations) -> list[Any]:
    match each:
        case RecordClass(full_name, class_name, _, attributes):
            members: list[Any] = sorted(
                [a.field, a.name, annotations.of(a.shape), isinstance(a.default, NoDefault)]
                for a in attributes
            )
        case EnumClass(full_name, class_name, _, pairs):
            members = sorted(list(pair) for pair in pairs)
        case FixedClass(full_name, class_name, _, size):
            members = [size]
        case _:
            assert_never(each)
    return [type(each).__name__, full_name, class_name, members]
