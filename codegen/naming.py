"""Makes the names that users type from the names of relations, types, fields and symbols.

Every generated name depends only on its source name, never on its siblings. So a new table or column
renames nothing, and two source names never share a generated name. Ordinary names stay readable.
Other names are made legal, with a hash or an underscore that ordinary names never have.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from codegen.errors import IllegalPrefix
from lakeschema.avro.model import Record
from lakeschema.catalog.identifiers import Namespace, RelationName

MAX_NAME = 80
"""The longest generated name, since file systems and indexes have limits. Longer names are truncated
and hashed."""

_PREFIX = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)
_MAX_PREFIX = 40
_ORDINARY = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*", re.ASCII)
_HASHED_END = re.compile(r"[-_]x[a-z2-7]{16}\Z")
_ORDINARY_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*", re.ASCII)
_WORD = re.compile(r"[a-z][a-z0-9]*", re.ASCII)
_WORDS = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

# The list does not come from the running interpreter, so that every host gives the same names.
KEYWORDS = frozenset({
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
})  # fmt: skip

# Directory names that Windows reserves for devices.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(10))]
)

# Names in a package's ``__init__``, names reserved for later versions of the generator, and a builtin
# that type checkers only know without a qualifier.
_RESERVED_IN_PACKAGE = frozenset({
    "RECORD", "RELATION", "SCHEMA", "CRC_64_AVRO", "SHA_256", "PROVENANCE", "VERSION", "Duration",
    "InvalidAvro", "InvalidValue", "InvalidValues", "UnresolvableSchema", "AvroError", "Nanoseconds", "read_file",
    "write_file", "read_jsonl", "write_jsonl", "resolve_from", "spark_schema", "dataset", "from_rows", "to_rows",
    "create_dataframe", "arrow_schema", "from_arrow", "to_arrow", "from_confluent", "to_confluent",
    "from_single_object", "to_single_object", "to_dict", "from_dict", "UnknownSchema", "diff", "ABSENT", "provenance", "changelog", "TYPE_CHECKING",
    "annotations", "NotImplemented", "rows", "row_types", "columns",
    "strategy",
})  # fmt: skip

# Names in a record's class, and names reserved for later versions of the generator.
_RESERVED_IN_CLASS = frozenset({
    "self", "to_avro", "from_avro", "to_dict", "from_dict", "to_json", "from_json", "resolve_from",
    "to_confluent", "from_confluent", "to_single_object", "from_single_object", "replace", "to_record",
    "validate", "example", "strict", "SCHEMA", "of",
})  # fmt: skip

# Names that the module of classes uses in functions whose parameters are attributes.
_USED_BESIDE_ATTRIBUTES = frozenset({
    "_Any", "_Callable", "_ClassVar", "_Duration", "_Final", "_Literal", "_Mapping", "_Self", "_builtins", "_datetime", "_decimal", "_uuid", "TYPE_CHECKING",
})  # fmt: skip

_RESERVED_IN_ENUM = frozenset(["mro", "name", "value", "names", "values", "of"])

_NO_ATTRIBUTES = KEYWORDS | _RESERVED_IN_CLASS | _USED_BESIDE_ATTRIBUTES
_NO_CLASSES = KEYWORDS | _RESERVED_IN_PACKAGE | _RESERVED_IN_CLASS
_NO_MEMBERS = KEYWORDS | _RESERVED_IN_ENUM


@functools.lru_cache(maxsize=1_000)
def distribution_name(relation: RelationName, prefix: str) -> str:
    """The PEP 503 normalised distribution name.

    A database of several words is prefixed with their count, which distinguishes ``a_b.c`` from
    ``a.b_c``. Outside the default catalog, a namespace of one level is prefixed with ``0`` and the
    catalog. A namespace of another number of levels is prefixed with ``00``, the catalog and this number.

    Raises:
        IllegalPrefix: the prefix is not a lower-case, hyphenated name.
    """
    _check_prefix(prefix)
    readable = _ordinary_distribution(relation)
    if readable is not None:
        name = f"{prefix}-{readable}"
        if len(name) <= MAX_NAME and not _HASHED_END.search(name):
            return name
    legal = _legal(" ".join(relation.parts), "-")
    return _hashed(f"{prefix}-{legal}" if legal else prefix, "-", str(relation))


@functools.lru_cache(maxsize=1_000)
def import_name(relation: RelationName, prefix: str) -> str:
    """The dotted import name with three components: package of the prefix, namespace, relation.

    The catalog is part of the namespace's component.

    ``__`` joins the catalog and the levels, because an ordinary database's name never has it.
    """
    _check_prefix(prefix)
    database = _namespace_component(relation.place)
    table = _component(relation.name, str(RelationName((), relation.name)))
    return f"{prefix_package(prefix)}.{database}.{table}"


def _namespace_component(namespace: Namespace) -> str:
    levels, catalog = namespace.levels, namespace.catalog
    if catalog:
        parts = (catalog, *levels) if levels else (catalog, "")
        joined = "__".join(parts)
        if all(map(_WORDS.fullmatch, (catalog, *levels))) and not needs_hash(joined):
            return joined
        return _hashed_component(" ".join(parts), str(namespace))
    if len(levels) == 1:
        return _component(levels[0], str(namespace))
    # The empty namespace is hashed as "", which no database has as its name, unlike `*`.
    exact = str(RelationName(levels, "*")) if levels else ""
    return _hashed_component(" ".join(levels), exact)


def prefix_package(prefix: str) -> str:
    """The package of a prefix: ``acme_schemas`` for ``acme-schema`` and for ``acme``.

    Names are unique within one prefix. If deployments share an index or an environment, no
    deployment's prefix may be the beginning of another's.
    """
    _check_prefix(prefix)
    words = prefix.replace("-", "_")
    return f"{words}s" if prefix.endswith("-schema") else f"{words}_schemas"


@dataclass(frozen=True, slots=True)
class TypeNamer:
    """Names the classes of one schema in CamelCase, each by its own full name and the root's.

    The root record and types of the home namespace keep their simple names. The name of any other type
    begins with the parts of its namespace, without the root's name if the root is the home. Two forms can
    collide: ``device`` and ``Device`` both become ``Device``. Then the class of ``device`` ends in an
    underscore, which ordinary names never do. If all names come from columns, the class of ``Device`` is
    prefixed with its namespace instead.

    Attributes:
        home: the namespace whose types keep their simple names.
        of_columns: whether the record is of a table without its own Avro schema. Then its types have
            names like columns, in lower case.
    """

    root: str
    home: str
    of_columns: bool = False

    @classmethod
    def of(cls, root: Record) -> TypeNamer:
        last = root.namespace.rpartition(".")[2]
        of_columns = (
            root.namespace.count(".") == 1
            and _WORDS.fullmatch(last) is not None
            and root.name == "".join(word[0].upper() + word[1:] for word in last.split("_"))
        )
        is_within_itself = last.lower() == root.name.lower()
        home = root.full_name if is_within_itself or of_columns else root.namespace
        return cls(root.full_name, home, of_columns)

    def class_name(self, full_name: str) -> str:
        namespace, _, simple = full_name.rpartition(".")
        if full_name == self.root:
            name = self._root_class()
        elif _WORDS.fullmatch(simple):
            name = self._of_words(namespace, simple)
        else:
            name = self._of_type(namespace, simple)
        return hashed_type(full_name) if name is None or needs_hash(name) else name

    def _root_class(self) -> str | None:
        root = self._root_name()
        if not _ORDINARY_TYPE.fullmatch(root):
            return None
        return f"{root}_" if root in _NO_CLASSES else root

    def _root_name(self) -> str:
        simple = self.root.rpartition(".")[2]
        return camel_case(simple) if _WORDS.fullmatch(simple) else simple

    def _beneath(self, namespace: str) -> tuple[str, ...] | None:
        """The parts of a namespace after the root's full name; None if it does not begin with this name."""
        if not f"{namespace}.".startswith(f"{self.root}."):
            return None
        beneath = namespace[len(self.root) + 1 :]
        return tuple(beneath.split(".")) if beneath else ()

    def _is_beneath(self, first: str) -> bool:
        """Whether the name of a type below the root may begin with this part."""
        is_elsewhere = first in {*self._own_names(), self.root.partition(".")[0]}
        is_home = self.home == self.root and not self.of_columns
        return is_home and first[:1].isupper() and not is_elsewhere

    def _own_names(self) -> Collection[str]:
        return {self._root_name(), self.root.rpartition(".")[2]}

    def _full_path(self, namespace: str, simple: str) -> str | None:
        """The namespace and the simple name, joined by two underscores, which no part contains."""
        beneath, first = self._beneath(namespace), namespace.partition(".")[0]
        if beneath is not None:
            is_told = beneath != () and self._is_beneath(beneath[0])
            parts = (*([] if is_told else [self._root_name()]), *beneath, simple)
        elif namespace and first not in self._own_names() and not self._is_beneath(first):
            parts = (*namespace.split("."), simple)
        else:
            return None
        return join_parts(parts)

    def _of_type(self, namespace: str, simple: str) -> str | None:
        """The class name of a type that is named in CamelCase, unchanged where possible."""
        is_plain = namespace == self.home and not self.of_columns and simple != self._root_name()
        if not (is_plain and _ORDINARY_TYPE.fullmatch(simple)):
            return self._full_path(namespace, simple)
        return f"{simple}_" if simple in _NO_CLASSES else simple

    def _of_words(self, namespace: str, simple: str) -> str | None:
        """The class name of a type that is named like a column, in lower-case words."""
        beneath = self._beneath(namespace)
        path = (*(beneath or ()), simple)
        if (beneath is None and namespace != self.home) or not all(map(_WORDS.fullmatch, path)):
            full = self._full_path(namespace, camel_case(simple))
            return full and f"{full}_"
        name = "_".join(map(camel_case, path))
        if beneath is not None and self.home != self.root:
            root = self._root_name()
            return f"{root}_{name}_" if _ORDINARY_TYPE.fullmatch(root) else None
        if not self.of_columns:
            return f"{name}__" if name in _NO_CLASSES else f"{name}_"
        while name in _NO_CLASSES or name == self._root_class():
            name += "_"
        return name


def join_parts(parts: Sequence[str]) -> str | None:
    """A type's ordinary parts as one name; None if any part is not ordinary."""
    return "__".join(parts) if all(map(_ORDINARY_TYPE.fullmatch, parts)) else None


def hashed_type(full_name: str) -> str:
    """A legal class name for any type's name."""
    simple = full_name.rpartition(".")[2]
    return _hashed(_legal(simple, "_", lower=False) or "Type", "_", full_name)


def camel_case(words: str) -> str:
    """A name in CamelCase, such as ``MarketShare`` for ``market_share``.

    A word that begins with a digit keeps its underscore.
    """
    return "".join(
        word[0].upper() + word[1:] if word[0].isalpha() else f"_{word}" for word in words.split("_")
    )


def attribute_before_of(field: str) -> str:
    """The attribute of a field in earlier releases, whose classes had no method ``of``."""
    return attribute_beside(field, _NO_ATTRIBUTES - {"of"})


def member_before_of(symbol: str) -> str:
    """The Python name of a symbol in earlier releases, whose enums had no method ``of``."""
    return member_name(symbol, _NO_MEMBERS - {"of"})


# Cached, because many tables have columns of the same name.
@functools.lru_cache(maxsize=10_000)
def attribute_name(field: str) -> str:
    """The attribute of a field: its name, unless that is a keyword, a method or a dunder."""
    return attribute_beside(field, _NO_ATTRIBUTES)


def attribute_beside(field: str, taken: Collection[str]) -> str:
    """The attribute of a record's field, different from the ``taken`` names."""
    if not _IDENTIFIER.fullmatch(field) or needs_hash(field):
        return _hashed(_legal(field, "_", lower=False) or "field", "_", field)
    if re.match(r"(f_)*__", field):
        # Python mangles names with two leading underscores in a class body.
        return f"f_{field}"
    if field.rstrip("_") in taken:
        return f"{field}_"
    return field


def member_name(symbol: str, taken: Collection[str] = _NO_MEMBERS) -> str:
    """The Python name of a symbol. It avoids names that ``enum`` reserves, such as ``mro`` and ``_x``."""
    if not _IDENTIFIER.fullmatch(symbol) or needs_hash(symbol):
        return _hashed(_legal(symbol, "_", lower=False) or "symbol", "_", symbol)
    if re.match(r"(s_)*_", symbol):
        return f"s_{symbol}"
    if symbol.rstrip("_") in taken:
        return f"{symbol}_"
    return symbol


def _check_prefix(prefix: str) -> None:
    if not _PREFIX.fullmatch(prefix) or len(prefix) > _MAX_PREFIX:
        raise IllegalPrefix(prefix)


def _ordinary_distribution(relation: RelationName) -> str | None:
    """The readable part of the name, or None if two relations could share it."""
    *levels, table = relation.parts
    if not all(_ORDINARY.fullmatch(part) for part in relation.parts):
        return None
    if not relation.catalog:
        if len(levels) != 1:
            return None
        words = _counted_words(levels[0])
        return None if words is None else "-".join([*words, *table.split("_")])
    if not _WORD.fullmatch(relation.catalog):
        return None
    if len(levels) == 1:
        words = _counted_words(levels[0])
        start = None if words is None else ["0", relation.catalog, *words]
    else:
        is_plain = all(_WORD.fullmatch(level) for level in levels)
        start = ["00", relation.catalog, str(len(levels)), *levels] if is_plain else None
    return None if start is None else "-".join([*start, *table.split("_")])


def _counted_words(database: str) -> list[str] | None:
    words = database.split("_")
    if words[0].isdigit():
        return None
    return [str(len(words)), *words] if len(words) > 1 else words


def _component(text: str, exact: str) -> str:
    ordinary = _ORDINARY.fullmatch(text) and not text[0].isdigit()
    if ordinary and text not in KEYWORDS | _DEVICES and not needs_hash(text):
        return text
    return _hashed_component(text, exact)


def _hashed_component(text: str, exact: str) -> str:
    legal = _legal(text, "_")
    return _hashed(f"r_{legal}" if not legal or legal[0].isdigit() else legal, "_", exact)


def needs_hash(name: str) -> bool:
    """Whether the name is too long, or ends like a hashed name."""
    return len(name) > MAX_NAME or _HASHED_END.search(name) is not None


def _legal(text: str, joint: str, *, lower: bool = True) -> str:
    words = re.sub(r"[^A-Za-z0-9]+", joint, text.lower() if lower else text).strip(joint)
    if not lower and words[:1].isdigit():
        return f"n{joint}{words}"
    return words


def _hashed(legal: str, joint: str, exact: str) -> str:
    digest = hashlib.sha256(exact.encode("utf-8", "surrogatepass")).digest()
    end = f"{joint}x{base64.b32encode(digest[:10]).decode().lower()}"
    return legal[: MAX_NAME - len(end)].rstrip(joint) + end
