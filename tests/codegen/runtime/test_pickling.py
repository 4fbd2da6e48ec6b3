"""Pickles from another version of a package."""

from __future__ import annotations

import copy
import itertools
import pickle
import pickletools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest

from codegen.layout import lay_out
from codegen.modules import render_layout
from tests.codegen.generated import imported_modules, record, record_of

_NUMBERS = itertools.count()
PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)
BOTH = pytest.mark.parametrize("immutable", [False, True], ids=["mutable", "immutable"])


def order(**fields: Any) -> dict[str, Any]:
    return record({"id": "long", **fields}, "Order")


def kind(*symbols: str, **more: str) -> dict[str, Any]:
    return {"type": {"type": "enum", "name": "Kind", "symbols": symbols, **more}}


def line(**fields: Any) -> dict[str, Any]:
    return record({"price": "double", **fields}, "Line")


TAGS = {"type": {"type": "array", "items": "string"}, "default": ["new"]}
UNIT = {"type": ["null", "string"], "default": None}


@contextmanager
def version(
    number: str, document: Mapping[str, Any], package: str, *, immutable: bool
) -> Iterator[Any]:
    layout = lay_out(record_of(document), immutable=immutable)
    with imported_modules(render_layout(layout, package, None, number), package) as module:
        yield module


class Pickled:
    """What a version pickles, and another of the same import name loads."""

    def __init__(self, *, immutable: bool) -> None:
        self._package = f"pickled_{next(_NUMBERS)}"
        self._immutable = immutable

    def dump(self, number: str, document: Mapping[str, Any], make: Any) -> list[bytes]:
        with version(number, document, self._package, immutable=self._immutable) as package:
            return [pickle.dumps(make(package), protocol) for protocol in PROTOCOLS]

    @contextmanager
    def reader(self, number: str, document: Mapping[str, Any]) -> Iterator[ModuleType]:
        with version(number, document, self._package, immutable=self._immutable) as package:
            yield package


@BOTH
def test_a_missing_attribute_has_a_default_of_its_own(immutable: bool) -> None:
    pickled = Pickled(immutable=immutable)
    texts = pickled.dump("1.0.0", order(), lambda p: [p.Order(id=1), p.Order(id=2)])

    with pickled.reader("1.1.0", order(tags=TAGS, unit=UNIT)) as package:
        for text in texts:
            first, second = pickle.loads(text)

            assert [first, second] == [package.Order(id=1), package.Order(id=2)]
            assert (list(first.tags), first.unit) == (["new"], None)
            assert immutable or first.tags is not second.tags
            assert copy.deepcopy(first) == first
            assert package.Order.from_avro(first.to_avro()) == first


@BOTH
def test_an_unknown_attribute_is_dropped(immutable: bool) -> None:
    pickled = Pickled(immutable=immutable)
    texts = pickled.dump("1.1.0", order(tags=TAGS, unit=UNIT), lambda p: p.Order(id=1, unit="kg"))

    with pickled.reader("1.0.0", order()) as package:
        assert [pickle.loads(text) for text in texts] == [package.Order(id=1)] * len(texts)
    # As many attributes as before, but others.
    with pickled.reader("2.0.0", order(tags=TAGS, weight=UNIT)) as package:
        assert pickle.loads(texts[0]) == package.Order(id=1)


@BOTH
def test_nested_records_and_recursion_cross_versions(immutable: bool) -> None:
    pickled = Pickled(immutable=immutable)
    itself = {"type": ["null", "Order"], "default": None}
    texts = pickled.dump(
        "1.0.0",
        order(lines={"type": {"type": "array", "items": line()}}, next=itself),
        lambda p: p.Order(id=1, lines=[p.Line(price=1.5)], next=p.Order(id=2, lines=[])),
    )

    newer = order(lines={"type": {"type": "array", "items": line(unit=UNIT)}}, next=itself)
    with pickled.reader("1.1.0", newer):
        for text in texts:
            found = pickle.loads(text)

            assert (found.lines[0].price, found.lines[0].unit, found.next.id) == (1.5, None, 2)


@BOTH
def test_an_unknown_symbol_is_the_default_of_the_enum(immutable: bool) -> None:
    pickled = Pickled(immutable=immutable)
    kinds = kind("GOLD", "PLATINUM", default="GOLD")
    texts = pickled.dump("1.1.0", order(kind=kinds), lambda p: p.Order(id=1, kind=p.Kind.PLATINUM))

    with pickled.reader("1.0.0", order(kind=kind("GOLD", "NONE_YET", default="NONE_YET"))) as p:
        assert [pickle.loads(text).kind for text in texts] == [p.Kind.NONE_YET] * len(texts)
    with pickled.reader("1.0.0", order(kind=kind("GOLD"))) as package:
        for text in texts:
            with pytest.raises(package.AvroError) as caught:
                pickle.loads(text)
            assert "Kind has no symbol 'PLATINUM' and no default" in str(caught.value)
            assert all(number in str(caught.value) for number in ("1.1.0", "1.0.0"))


@BOTH
def test_an_attribute_without_a_default_is_refused_with_both_versions(immutable: bool) -> None:
    pickled = Pickled(immutable=immutable)
    texts = pickled.dump("1.4.2", order(), lambda p: p.Order(id=1))

    with pickled.reader("2.0.0", order(customer="string")) as package:
        for text in texts:
            with pytest.raises(package.InvalidValue) as caught:
                pickle.loads(text)
            assert caught.value.path == "customer"
            assert "1.4.2, read by 2.0.0" in caught.value.reason


@BOTH
def test_the_pickle_of_an_earlier_release_is_read(immutable: bool) -> None:
    pickled = Pickled(immutable=immutable)
    with pickled.reader("1.1.0", order(unit=UNIT)) as package:
        for attributes in ({"id": 1}, {"id": 1, "unit": None}, {"id": 1, "dropped": "x"}):
            state: Any = (None, attributes)
            found = object.__new__(package.Order)

            found.__setstate__(state)

            assert found == package.Order(id=1)
        with pytest.raises(package.InvalidValue, match="of an earlier release"):
            object.__new__(package.Order).__setstate__((None, {}))


def test_what_a_subclass_has_besides_is_kept() -> None:
    pickled = Pickled(immutable=False)
    with pickled.reader("1.0.0", order(unit=UNIT)) as package:

        class Noted(package.Order):  # type: ignore[misc,name-defined]
            pass

        class Slotted(package.Order):  # type: ignore[misc,name-defined]
            __slots__ = ("note",)

        for class_ in (Noted, Slotted):
            noted = class_(id=1)
            noted.note = "by hand"
            for made in (copy.copy(noted), copy.deepcopy(noted)):
                assert (type(made), made.id, made.note) == (class_, 1, "by hand")


@BOTH
def test_a_record_without_attributes_gets_new_ones(immutable: bool) -> None:
    pickled = Pickled(immutable=immutable)
    texts = pickled.dump("1.0.0", record({}, "Order"), lambda p: p.Order())

    with pickled.reader("1.1.0", record({"unit": UNIT}, "Order")) as package:
        assert [pickle.loads(text) for text in texts] == [package.Order()] * len(texts)


def test_a_pickle_has_its_version() -> None:
    pickled = Pickled(immutable=False)
    (text, *_) = pickled.dump("1.2.3", order(), lambda p: p.Order(id=1))

    assert "1.2.3" in [argument for _, argument, _ in pickletools.genops(text)]


def renamed() -> dict[str, Any]:
    """A record with a field ``is_gift``, which was ``gift`` and, before that, ``class``."""
    document = order(is_gift={"type": "long", "default": 0})
    document["fields"][-1]["aliases"] = ["gift", "class"]
    return document


@BOTH
@pytest.mark.parametrize(("former", "attribute"), [("gift", "gift"), ("class", "class_")])
def test_a_renamed_field_has_the_value_of_its_former_name(
    former: str, attribute: str, immutable: bool
) -> None:
    pickled = Pickled(immutable=immutable)
    texts = pickled.dump(
        "1.0.0", order(**{former: "long"}), lambda p: p.Order(**{"id": 1, attribute: 5})
    )

    with pickled.reader("1.1.0", renamed()) as package:
        for text in texts:
            assert pickle.loads(text) == package.Order(id=1, is_gift=5)


NEW_LINE = order(line={"type": ["null", line(kind=kind("GOLD"))], "default": None})
"""A version with two types more: ``Line`` and ``Kind``."""


@BOTH
def test_an_unknown_attribute_is_dropped_with_its_unknown_types(immutable: bool) -> None:
    pickled = Pickled(immutable=immutable)
    texts = pickled.dump(
        "1.1.0", NEW_LINE, lambda p: p.Order(id=1, line=p.Line(price=1.5, kind=p.Kind.GOLD))
    )

    with pickled.reader("1.0.0", order()) as package:
        for text in texts:
            found = pickle.loads(text)
            assert found == package.Order(id=1)
            assert package.Order.from_avro(found.to_avro()) == found


@BOTH
@pytest.mark.parametrize("make", [lambda p: p.Kind.GOLD, lambda p: [p.Kind.GOLD]])
def test_a_known_attribute_of_an_unknown_type_is_refused(make: Any, immutable: bool) -> None:
    pickled = Pickled(immutable=immutable)
    texts = pickled.dump("1.1.0", NEW_LINE, lambda p: p.Order(id=1, line=make(p)))

    with pickled.reader("2.0.0", order(line="string")) as package:
        for text in texts:
            with pytest.raises(package.InvalidValue) as caught:
                pickle.loads(text)
            assert caught.value.path == "line"
            assert "Kind" in caught.value.reason
            assert "1.1.0, read by 2.0.0" in caught.value.reason


@BOTH
def test_a_type_that_is_missing_says_so_with_its_first_use(immutable: bool) -> None:
    pickled = Pickled(immutable=immutable)
    texts = pickled.dump("1.1.0", NEW_LINE, lambda p: [p.Line(price=1.5, kind=p.Kind.GOLD)])

    with pickled.reader("1.0.0", order()):
        for text in texts:
            (found,) = pickle.loads(text)
            assert "Line" in repr(found)
            with pytest.raises(AttributeError, match=r"Line, .*1\.1\.0, read by 1\.0\.0"):
                _ = found.price


@BOTH
def test_a_renamed_type_is_found_by_its_alias(immutable: bool) -> None:
    pickled = Pickled(immutable=immutable)
    texts = pickled.dump("1.0.0", order(line=line()), lambda p: p.Order(id=1, line=p.Line(price=1)))

    later = {**line(), "name": "Item", "aliases": ["Line"]}
    with pickled.reader("1.1.0", order(line=later)) as package:
        for text in texts:
            assert pickle.loads(text) == package.Order(id=1, line=package.Item(price=1))
