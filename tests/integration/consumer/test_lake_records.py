"""A newcomer makes, checks, compares and copies records of each relation of a lake."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import pickle
import sys
import typing
from typing import Any

import pytest
from rich.pretty import pretty_repr

from tests.integration.consumer.installed import Installed
from tests.integration.consumer.lake_installed import columns_of, values_of


def required_attributes(module: Any) -> list[str]:
    parameters = inspect.signature(module.RECORD).parameters.values()
    return [each.name for each in parameters if each.default is each.empty]


def test_an_example_is_valid_and_the_same_each_time(module: Any) -> None:
    assert module.RECORD.example(3).validate() == module.RECORD.example(3)
    assert module.RECORD.example(3) != module.RECORD.example(4)


def test_keywords_make_an_equal_record(module: Any, example: Any) -> None:
    assert module.RECORD(**values_of(example), strict=True) == example


def test_positional_arguments_are_refused(module: Any) -> None:
    with pytest.raises(TypeError, match="positional"):
        module.RECORD(1)


def test_required_attributes_are_enough(module: Any, example: Any) -> None:
    required = {name: getattr(example, name) for name in required_attributes(module)}

    made = module.RECORD(**required, strict=True)

    # As text: a default of NaN does not equal itself.
    assert repr(module.RECORD.from_avro(made.to_avro())) == repr(made)


def test_a_missing_attribute_is_named(module: Any, example: Any) -> None:
    for name in required_attributes(module):
        others = {key: value for key, value in values_of(example).items() if key != name}
        with pytest.raises(TypeError, match=rf"\b{name}\b"):
            module.RECORD(**others)


def test_an_attribute_that_is_unknown_is_named(module: Any, example: Any) -> None:
    with pytest.raises(TypeError, match="no_such_column"):
        module.RECORD(**values_of(example), no_such_column=1)


def test_strict_construction_names_each_wrong_attribute(module: Any, example: Any) -> None:
    for name, column in list(columns_of(module).items())[:20]:
        with pytest.raises(module.InvalidValue) as caught:
            module.RECORD(**values_of(example) | {name: object()}, strict=True)
        assert caught.value.path == column


def test_validation_finds_a_value_that_was_set_later(module: Any, example: Any) -> None:
    name = next(iter(values_of(example)))
    setattr(example, name, object())

    with pytest.raises(module.InvalidValue) as caught:
        example.validate()

    assert str(caught.value).startswith(f"{name}: expected ")


def test_an_invalid_record_is_never_written(module: Any, example: Any) -> None:
    name = next(iter(values_of(example)))
    wrong = example.replace(**{name: object()})

    for write in (wrong.to_avro, wrong.to_json, wrong.to_dict, wrong.to_single_object):
        with pytest.raises(module.InvalidValue, match=f"^{name}: expected"):
            write()


def test_a_misspelt_attribute_cannot_be_set(example: Any) -> None:
    with pytest.raises(AttributeError):
        setattr(example, "no such column", 1)


def test_a_copy_is_equal_and_a_deep_copy_shares_nothing(example: Any) -> None:
    for made in (copy.copy(example), copy.deepcopy(example)):
        assert made == example
        assert made is not example


def test_each_way_to_replace_an_attribute_agrees(module: Any, example: Any) -> None:
    other = module.RECORD.example(4)
    for name, value in list(values_of(other).items())[:20]:
        made = example.replace(**{name: value})

        assert getattr(made, name) == value
        assert dataclasses.replace(example, **{name: value}) == made
        if sys.version_info >= (3, 13):
            assert copy.replace(example, **{name: value}) == made


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_record_of_each_relation_is_pickled(example: Any, protocol: int) -> None:
    assert pickle.loads(pickle.dumps(example, protocol)) == example


def test_the_fields_stand_in_the_order_of_the_schema(module: Any) -> None:
    names = [field["name"] for field in json.loads(module.SCHEMA)["fields"]]

    assert list(module.RECORD.example().to_dict()) == names
    assert len(dataclasses.fields(module.RECORD)) == len(names)


def test_a_record_is_taken_apart_like_a_dataclass(module: Any, example: Any) -> None:
    assert dataclasses.is_dataclass(module.RECORD)
    assert list(dataclasses.asdict(example)) == list(values_of(example))


def test_the_text_of_a_record_shows_each_attribute(example: Any) -> None:
    text = repr(example)

    assert text.startswith(f"{type(example).__name__}(")
    assert all(f"{name}={value!r}" in text for name, value in values_of(example).items())


def test_rich_prints_an_attribute_a_line(example: Any) -> None:
    lines = pretty_repr(example, max_width=60).splitlines()

    assert [
        name for name in values_of(example) if not any(f"{name}=" in line for line in lines)
    ] == []
    assert len(lines) > len(values_of(example))


def test_the_difference_of_two_records_names_their_paths(module: Any, example: Any) -> None:
    other = module.RECORD.example(4)
    found = {path.partition(".")[0].partition("[")[0] for path, _, _ in module.diff(example, other)}
    differing = {
        column
        for name, column in columns_of(module).items()
        if getattr(example, name) != getattr(other, name)
    }

    assert found == differing
    assert module.diff(example, copy.deepcopy(example)) == []


def test_a_mutable_record_has_no_hash_and_no_order(example: Any) -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(example)
    with pytest.raises(TypeError, match="not supported"):
        sorted([example, copy.copy(example)])


def test_plain_values_make_an_equal_record_of_each_relation(module: Any, example: Any) -> None:
    assert module.RECORD.from_dict(example.to_dict()) == example
    assert module.from_dict(module.to_dict(example, None), None) == example


def test_an_unknown_name_among_plain_values_is_refused(module: Any, example: Any) -> None:
    with pytest.raises(module.InvalidValue, match="no such column"):
        module.RECORD.from_dict({**example.to_dict(), "no such column": 1})


def test_the_hints_of_a_class_are_evaluated(module: Any) -> None:
    names = [field.name for field in dataclasses.fields(module.RECORD)]

    hints = typing.get_type_hints(module.RECORD)

    assert [name for name in names if name not in hints] == []


def test_the_signature_of_a_constructor_is_evaluated(module: Any) -> None:
    signature = inspect.signature(module.RECORD, eval_str=True)

    assert not [each for each in signature.parameters.values() if isinstance(each.annotation, str)]


def test_a_package_says_what_it_is(relation: Installed, module: Any) -> None:
    assert (module.__version__, module.RELATION) == ("1.1.0", str(relation.relation))
    assert module.RECORD.SCHEMA == module.SCHEMA


def test_each_name_that_a_package_offers_is_there(module: Any) -> None:
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
