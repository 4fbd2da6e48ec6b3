"""The runtime in packages: its modules joined, without comments, docstrings and types."""

from __future__ import annotations

import ast
import importlib
import zlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pytest

from codegen.runtime_files import deflated_runtime, runtime_files
from codegen.runtime_packing.groups import DOCUMENTED, GROUP_OF
from codegen.runtime_packing.joining import join_modules
from codegen.runtime_packing.scopes import UnfitRuntime
from codegen.runtime_packing.sources import runtime_sources


@pytest.mark.thorough
def test_the_packed_files_are_those_of_the_runtime() -> None:
    joined = join_modules(runtime_sources())

    assert runtime_files().keys() == {f"{group}.py" for group in joined}
    for group, file in joined.items():
        # Syntax trees: each version of Python would print another text. Run `make runtime`.
        assert _dump(ast.parse(runtime_files()[f"{group}.py"])) == _dump(file.tree()), group


def test_the_packed_files_are_deflated_to_what_is_beside_them() -> None:
    deflated = deflated_runtime()

    assert list(deflated) == list(runtime_files().values())
    for data, stream in deflated.items():
        assert zlib.decompress(stream, -zlib.MAX_WBITS) == data


@pytest.mark.parametrize("module", sorted(GROUP_OF))
def test_a_joined_module_keeps_its_public_names_its_parameters_and_its_statements(
    module: str,
) -> None:
    source = ast.parse(runtime_sources()[module])

    packed = ast.parse(runtime_files()[f"{GROUP_OF[module]}.py"])

    assert _signatures(source).items() <= _signatures(packed).items()


def test_editors_are_shown_the_documentation_of_the_classes_whose_values_users_hold() -> None:
    documented = {
        node.name
        for data in runtime_files().values()
        for node in ast.walk(ast.parse(data))
        if isinstance(node, ast.ClassDef) and ast.get_docstring(node)
    }

    assert documented == DOCUMENTED


@pytest.mark.parametrize("module", sorted(GROUP_OF))
def test_a_module_can_be_imported_as_it_is_written(module: str) -> None:
    assert importlib.import_module(f"codegen.runtime.{module}").__doc__


def _dump(tree: ast.Module) -> str:
    return ast.dump(tree, indent=1)


def _signatures(tree: ast.Module) -> Mapping[str, Sequence[str]]:
    """The public functions, and the methods of public classes, with their parameters."""
    found: dict[str, Sequence[str]] = {}
    for node in tree.body:
        members = node.body if isinstance(node, ast.ClassDef) and not _is_protocol(node) else []
        for each in [node, *members]:
            if isinstance(each, ast.FunctionDef) and not each.name.startswith("_"):
                parameters = [*each.args.posonlyargs, *each.args.args, *each.args.kwonlyargs]
                owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
                found[owner + each.name] = [parameter.arg for parameter in parameters]
    return found


def _is_protocol(node: ast.ClassDef) -> bool:
    return [ast.unparse(base) for base in node.bases] == ["Protocol"]


def _joined(**sources: str) -> str:
    """Two modules, ``a`` and ``b``, in a file, and a third one in another."""
    groups = {"__init__": ("c",), "ab": ("a", "b")}
    texts = {"a": "", "b": "", "c": "", **sources}
    group_of = {module: group for group, modules in groups.items() for module in modules}
    return ast.unparse(join_modules(texts, groups, MappingProxyType(group_of))["ab"].tree())


def test_an_import_within_a_file_goes_and_one_of_another_file_stays() -> None:
    text = _joined(
        a="import json\nfrom .c import g\n\n\ndef f():\n    return json, g\n",
        b="import json\nfrom . import a, c\nfrom .a import f\n\n\ndef h():\n    return a.f, f, c.g, json\n",
    )

    assert text.split("\n\n") == [
        "import json\nfrom . import __init__ as c, g",
        "def f():\n    return (json, g)",
        "def h():\n    return (f, f, c.g, json)",
    ]


def test_a_name_that_two_modules_define_ends_with_the_later_one() -> None:
    text = _joined(
        a="def _f():\n    return 1\n",
        b="def _f():\n    return 2\n\n\nx = [_f, 3]\n",
    )

    assert text.endswith("def _f_b():\n    return 2\nx = [_f_b, 3]")


def test_types_imports_and_protocols_go_that_only_annotations_read() -> None:
    text = _joined(
        a="""
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, TypeAlias

Convert: TypeAlias = Callable[[Any], Any]
LIMIT: Final = 3

class Shape(Protocol):
    "A shape."

def f(value: Convert, limit: int = LIMIT) -> Shape:
    "A function."
    found: list[Any] = []
    made: int
    # A comment.
    return isinstance(value, Mapping), found
""",
        b="from .a import Convert\n\n\ndef g(convert: Convert) -> None:\n    'Nothing.'\n",
    )

    assert text == (
        "from collections.abc import Mapping\nLIMIT = 3\n\n"
        "def f(value, limit=LIMIT):\n    found = []\n"
        "    return (isinstance(value, Mapping), found)\n\n"
        "def g(convert):\n    pass"
    )


@pytest.mark.parametrize(
    ("sources", "reason"),
    [
        ({"a": "from .b import f\nx = f", "b": "def f(): ..."}, "a imports b, which comes after"),
        ({"a": "def print(): ..."}, "a.print hides a builtin"),
        ({"a": "x = 1", "b": "from json import dumps as x\ny = x"}, "x of b is from json import"),
        ({"a": "_f = 1", "b": "_f = 2\ndef g(_f): return _f"}, "b: _f is a local name, too"),
        ({"a": "_f = 1\n_f_b = 3", "b": "_f = 2"}, "new names are taken: _f_b"),
        ({"a": "_f = 1", "b": "_f = 2\ndef g(_f_b): return _f"}, "b: _f_b is a local name, too"),
        ({"a": "x = 1", "b": "from . import a\nprint(a)"}, "the module a is used as a value"),
        ({"a": "x = 1", "b": "from . import a\ndef g(x): return a.x"}, "b: x is a local name"),
        ({"a": "x = 1", "b": "from . import a\ndef g(a): return a.x"}, "b: a is a local name"),
        ({"a": "x = 1", "b": "from .a import x as y\nz = y"}, "b: import x under its own name"),
        ({"a": "def f():\n    global x\n    x = 1"}, "global and nonlocal"),
        ({"d": ""}, "not in sources and in a group: d"),
    ],
)  # fmt: skip
def test_modules_are_refused_that_would_mean_something_else_together(
    sources: Mapping[str, str], reason: str
) -> None:
    with pytest.raises(UnfitRuntime, match=reason):
        _joined(**sources)
