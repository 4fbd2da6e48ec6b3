"""Trees of expressions, grown from expressions that an engine accepted, with its types.

Each new tree is a template with accepted expressions in its slots, so that most trees are well typed,
however deep. Our own typing has no part in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from lakeschema.catalog.relations import Dialect
from tests.judges.functions.expression_templates import (
    Template,
    World,
    all_columns,
    callable_names,
    columns_in,
    form_template,
    forms,
    is_bounded,
    row_template,
    substituted,
    template_of,
)

_MAX_LENGTH: Final = 500
_AT_HAND: Final = 40
"""Trees of one world, type and depth; a further tree replaces one of them."""
_NUMERIC: Final = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
_TEXTUAL: Final = ("string", "date", "timestamp", "timestamp_ntz", "char", "varchar")
_LITERALS: Final[Mapping[str, Sequence[str]]] = {
    "int": ("0", "-1", "2", "2147483647"),
    "bigint": ("5L", "9223372036854775807L"),
    "smallint": ("3S",),
    "tinyint": ("2Y",),
    "double": ("1.5D", "1e3"),
    "decimal(2,1)": ("1.5", "-0.5"),
    "string": ("''", "'a'", "'2020-02-29'", "'12'", "'é😀'"),
    "boolean": ("true", "false"),
    "date": ("DATE '2020-02-29'",),
    "timestamp": ("TIMESTAMP '2020-02-29 12:34:56'",),
    "void": ("NULL",),
}


@dataclass(frozen=True, slots=True)
class Tree:
    """``name`` is the name of the root's template; ``depth`` counts nested templates.

    ``origin`` names the template, to learn how often the engine accepts its expressions.
    """

    text: str
    name: str
    world: World
    depth: int
    type: str = ""
    origin: str = ""


@dataclass(slots=True)
class Forest:
    """The trees accepted so far, by world, type and depth."""

    dialect: Dialect
    random: Random
    _trees: dict[World, dict[str, dict[int, list[Tree]]]] = field(default_factory=dict)
    _templates: dict[str, list[Template]] = field(default_factory=dict)
    _queue: list[str] = field(default_factory=list)
    _luck: dict[str, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, type_ in all_columns(self.dialect).items():
            self._keep(Tree(name, "column", World.ROW, 0, type_))
            first = "first" if self.dialect is Dialect.SPARK else "max"
            if "<" not in type_ or first == "first":
                self._keep(Tree(f"{first}({name})", first, World.GROUPED, 1, type_))
        for type_, texts in _LITERALS.items():
            for text in texts:
                for world in (World.ROW, World.GROUPED):
                    self._keep(Tree(text, "literal", world, 0, type_))

    def accept(self, tree: Tree, *, as_template: bool = False) -> None:
        """Keeps a tree to which the engine gave a type."""
        if as_template and is_bounded(tree.name):
            # Over the extremes of a column, it would use up all memory and kill the engine.
            return
        if tree.world is not World.ALONE and len(tree.text) <= _MAX_LENGTH:
            self._keep(tree)
        if as_template:
            template = template_of(tree.text, all_columns(self.dialect), self.dialect)
            if template.slots:
                self._templates.setdefault(tree.name, []).append(template)

    def learn(self, tree: Tree, *, accepted: bool) -> None:
        """Templates that are mostly refused are tried less often from then on."""
        good, all_ = self._luck.get(tree.origin, (0, 0))
        self._luck[tree.origin] = (good + accepted, all_ + 1)

    def _is_lucky(self, origin: str) -> bool:
        good, all_ = self._luck.get(origin, (0, 0))
        return self.random.random() < 0.03 + ((good + 1) / (all_ + 1)) ** 2

    def _keep(self, tree: Tree) -> None:
        kept = self._trees.setdefault(tree.world, {}).setdefault(tree.type, {})
        same = kept.setdefault(tree.depth, [])
        if len(same) < _AT_HAND:
            same.append(tree)
        else:
            same[self.random.randrange(_AT_HAND)] = tree

    def grow(self, depth: int) -> Tree | None:
        """A tree whose root is the next function or form in turn, or None.

        Its depth is ``depth``, or less if no tree so deep has a type that the root takes.
        """
        name = self._next_name()
        for _ in range(4):
            origin, template = self._template(name)
            if template is not None and self._is_lucky(origin):
                return self._fill(name, origin, template, depth)
        return None

    def _next_name(self) -> str:
        if not self._queue:
            forms_ = [n for n in forms(self.dialect) for _ in range(4)]
            lambdas = ["lambda"] * (12 if self.dialect is Dialect.SPARK else 0)
            self._queue = [*callable_names(self.dialect), *forms_, *lambdas]
            self.random.shuffle(self._queue)
        return self._queue.pop()

    def _template(self, name: str) -> tuple[str, Template | None]:
        random, types = self.random, list(self._trees[World.ROW])
        if name == "lambda":
            return name, self._lambda()
        written = forms(self.dialect).get(name)
        if written is not None and name not in self._templates:
            form = random.choice(written)
            return form, form_template(form, self.dialect, types, random)
        known = self._templates.get(name)
        if known and random.random() < 0.6:
            place = random.randrange(len(known))
            return f"{name} {place}", known[place]
        return f"{name} by its row", row_template(name, self.dialect, types, random)

    def _fill(self, name: str, origin: str, template: Template, depth: int) -> Tree | None:
        random = self.random
        world = template.world
        inner = World.ROW
        if world is World.ROW and name != "lambda" and template.slots and random.random() < 0.12:
            world = inner = random.choice((World.GROUPED, World.WINDOW))
        deepest = random.randrange(len(template.slots)) if template.slots else 0
        found = []
        for place, type_ in enumerate(template.slots):
            wanted = depth - 1 if place == deepest else random.randint(0, 2)
            sub = self._some(inner, self._near(type_), wanted) or self._some(inner, type_, wanted)
            if sub is None:
                return None
            found.append(sub)
        texts = [_enclosed(sub) for sub in found]
        made = max((sub.depth for sub in found), default=0) + 1
        if world is World.WINDOW and all(sub.world is World.ROW for sub in found):
            world = template.world
        text = template.filled(texts)
        return (
            Tree(text, name, world, made, origin=origin) if len(text) <= 2 * _MAX_LENGTH else None
        )

    def _near(self, type_: str) -> str:
        """Mostly the type itself; sometimes a type that may be cast to it."""
        random = self.random
        if random.random() < 0.88:
            return type_
        plain = type_.partition("(")[0]
        for group in (_NUMERIC, _TEXTUAL):
            if plain in group:
                types = [t for t in self._trees[World.ROW] if t.partition("(")[0] in group]
                return random.choice([*types, "string", "void"])
        return type_

    def _some(self, world: World, type_: str, depth: int) -> Tree | None:
        """A tree of that type, with the wanted depth or the nearest available one."""
        worlds = [world] if world is not World.WINDOW else [World.WINDOW, World.ROW]
        for each in worlds:
            kept = self._trees.get(each, {}).get(type_)
            if kept:
                fitting = [d for d in kept if d <= depth] or [min(kept)]
                return self.random.choice(kept[max(fitting)])
        return None

    def _lambda(self) -> Template | None:
        """A function with a lambda: another expression with the parameter in place of a column."""
        random = self.random
        columns = all_columns(self.dialect)
        column = random.choice(
            [c for c in columns if f"array<{columns[c]}>" in self._trees[World.ROW]]
        )
        type_ = columns[column]
        name = f"v{random.randrange(1000)}"
        form, results = random.choice(_LAMBDAS)
        wanted = random.choice([type_ if t == "T" else t for t in results])
        body = self._some(World.ROW, wanted, random.randint(1, 3))
        if body is None or not any(c == column for _, _, c in columns_in(body.text, columns)):
            body = next(self._bodies(column, wanted, columns), body)
        if body is None:
            return None
        made = substituted(body.text, column, name, columns)
        before, _, after = form.format(v=name, body=f"({made})", slot="\x00").partition("\x00")
        slot = f"array<{type_}>" if "map" not in form else f"map<string,{type_}>"
        return Template((before, after), (slot,), World.ROW)

    def _bodies(self, column: str, type_: str, columns: Mapping[str, str]) -> Iterator[Tree]:
        kept = self._trees[World.ROW].get(type_, {})
        trees = [tree for depth in kept for tree in kept[depth]]
        self.random.shuffle(trees)
        for tree in trees:
            if any(found == column for _, _, found in columns_in(tree.text, columns)):
                yield tree


_ANY: Final = ("string", "int", "double", "boolean", "date", "array<int>", "T")
_LAMBDAS: Final[Sequence[tuple[str, Sequence[str]]]] = (
    ("transform({slot}, {v} -> {body})", _ANY),
    ("transform({slot}, ({v}, i) -> {body})", _ANY),
    ("filter({slot}, {v} -> {body})", ("boolean",)),
    ("exists({slot}, {v} -> {body})", ("boolean",)),
    ("forall({slot}, {v} -> {body})", ("boolean",)),
    ("aggregate({slot}, 0L, (acc, {v}) -> acc + length(string({body})))", ("string", "int")),
    ("aggregate({slot}, '', (acc, {v}) -> acc || {body}, acc -> upper(acc))", ("string",)),
    ("zip_with({slot}, array({body}), ({v}, w) -> coalesce({v}, w))", ("T",)),
    ("array_sort({slot}, ({v}, w) -> CASE WHEN {body} THEN 1 ELSE -1 END)", ("boolean",)),
    ("map_filter({slot}, (k, {v}) -> {body})", ("boolean",)),
    ("transform_values({slot}, (k, {v}) -> {body})", _ANY),
    ("map_zip_with({slot}, m, (k, {v}, w) -> {body})", _ANY),
)


def _enclosed(tree: Tree) -> str:
    return (
        f"({tree.text})"
        if (tree.depth and not tree.text.endswith(")")) or " " in tree.text
        else tree.text
    )
