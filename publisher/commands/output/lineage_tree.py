"""Shows lineage as a tree for people.

The root is the requested place. Each place shows its links only once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from publisher.commands.output.tables import beginning, cell, print_table, say
from publisher.commands.output.times import shown_time
from publisher.lineage.values import Direction, Kind, Link, Place, Traced, TracedRelation

MAX_LINES = 200
"""The maximum number of lines of a tree; JSON has all links."""


def print_lineage(console: Console, traced: Traced) -> None:
    is_upstream = traced.direction is Direction.UPSTREAM
    builder = _Upstream(traced) if is_upstream else _Downstream(traced)
    console.print(builder.tree(), soft_wrap=True)
    if not traced.links:
        nothing = "comes from nothing else" if is_upstream else "is read by nothing"
        say(console, f"{traced.asked} {nothing} that is known here")
    if builder.left_out:
        say(console, f"… and more: {len(traced.links)} links in all; --json shows them")
    if traced.is_cut:
        say(console, "there is more beyond this depth")
    for name in traced.untraced:
        say(console, f"{name}: {_why_untraced(traced.relations[name])}")
    _print_statements(console, traced)
    if not is_upstream:
        _print_packages(console, traced)


def _why_untraced(relation: TracedRelation) -> str:
    if relation.is_derived:
        # An earlier release derived the relation, without the lineage of rows.
        return "the lineage of its rows is unknown until the next snapshot"
    return "its columns are unknown, since it cannot be derived; explain says why"


def _print_statements(console: Console, traced: Traced) -> None:
    found = {
        (link.target.relation, link.statement): None
        for link in traced.links
        if link.statement is not None
    }
    rows = [
        (
            str(name),
            shown_time(said.last_at),
            said.user,
            beginning(said.text),
        )
        for name, said in found
    ]
    print_table(console, "filled by statements", ("table", "last", "by", "statement"), rows)


def _print_packages(console: Console, traced: Traced) -> None:
    hit = [(name, traced.relations[name]) for name in traced.relations]
    rows = [(found.distribution, found.version or "", str(name)) for name, found in hit]
    print_table(console, "packages", ("package", "newest", "of"), [r for r in rows if r[1]])


class _Tree:
    """The parts that the trees of both directions share."""

    def __init__(self, traced: Traced) -> None:
        self._traced = traced
        self._shown: set[Place] = set()
        self._lines = 0
        self.left_out = False

    def _add(self, at: Tree, label: str) -> Tree | None:
        """Adds a node; None if the tree has ``MAX_LINES`` already."""
        if self._lines >= MAX_LINES:
            self.left_out = True
            return None
        self._lines += 1
        return at.add(_text(label))

    def _is_shown(self, place: Place) -> bool:
        """Whether the place's links were shown before; from now on they count as shown."""
        if place in self._shown:
            return True
        self._shown.add(place)
        return False


class _Upstream(_Tree):
    def __init__(self, traced: Traced) -> None:
        super().__init__(traced)
        self._into = _grouped(traced.links, by_source=False)

    def tree(self) -> Tree:
        asked = self._traced.asked
        root = Tree(_text(self._made(asked)))
        if asked.is_rows and self._traced.links:
            for column in self._traced.columns:
                self._column(root, Place(asked.relation, column))
        else:
            self._links(root, asked.whole)
        self._rows(root, Place(asked.relation))
        return root

    def _column(self, at: Tree, place: Place) -> None:
        node = self._add(at, self._made(place))
        if node is not None:
            self._links(node, place)

    def _links(self, at: Tree, place: Place) -> None:
        if self._is_shown(place):
            return
        for source, links in _by_end(self._into.get(place, ()), upstream=True):
            node = self._add(at, f"{self._made(source, links)}  ({_how(links)})")
            if node is None:
                return
            self._links(node, source)
            self._rows(node, Place(source.relation))

    def _rows(self, at: Tree, place: Place) -> None:
        """Adds the links that decide the rows of a relation."""
        links = self._into.get(place, ())
        if place in self._shown or not links:
            return
        deciding = [link for link in links if link.kind is Kind.INDIRECT]
        named = {link.source.relation for link in self._traced.links if not link.source.is_rows}
        read = [link.source for link in links if link.kind is Kind.READS]
        read = [each for each in read if self._decides(each) or each.relation not in named]
        self._shown.add(place)
        if not deciding and not read:
            return
        node = self._add(at, f"rows of {place}")
        if node is None:
            return
        for source, each in _by_end(deciding, upstream=True):
            inner = self._add(node, f"{self._made(source, each)}  ({_how(each)})")
            if inner is None:
                return
            self._links(inner, source)
        for source in read:
            if self._decides(source):
                self._rows(node, source)
            else:
                self._add(node, f"{source}  (its rows)")

    def _decides(self, rows: Place) -> bool:
        """Whether any column or clause is known to decide the rows, at any distance."""
        pending, seen = [rows], {rows}
        while pending:
            for link in self._into.get(pending.pop(), ()):
                if link.kind is Kind.INDIRECT:
                    return True
                if link.source not in seen:
                    seen.add(link.source)
                    pending.append(link.source)
        return False

    def _made(self, place: Place, links: Sequence[Link] = ()) -> str:
        """The text of a place with its expression; if links only read a field, the text of the field."""
        paths = {link.path for link in links}
        path = next(iter(paths)) if len(paths) == 1 else ()
        shown = ".".join((str(place), *path))
        expression = self._traced.expressions.get(place)
        return f"{shown} = {expression}" if expression else shown


class _Downstream(_Tree):
    def __init__(self, traced: Traced) -> None:
        super().__init__(traced)
        self._from = _grouped(traced.links, by_source=True)
        self._traced_exactly = {
            link.target.relation for link in traced.links if link.kind is not Kind.READS
        }

    def tree(self) -> Tree:
        asked = self._traced.asked
        root = Tree(_text(str(asked)))
        if asked.is_rows:
            for place in [p for p in self._from if p.relation == asked.relation and not p.is_rows]:
                node = self._add(root, str(place))
                if node is not None:
                    self._links(node, place)
        self._links(root, asked.whole)
        return root

    def _links(self, at: Tree, place: Place) -> None:
        if self._is_shown(place):
            return
        for target, links in _by_end(self._from.get(place, ()), upstream=False):
            if all(each.kind is Kind.READS for each in links):
                # If the relation's columns are shown elsewhere, this adds nothing.
                if target.relation in self._traced_exactly:
                    self._links(at, target)
                    continue
                node = self._add(at, f"{target}  (reads it)")
            elif target.is_rows:
                node = self._add(at, f"rows of {target}  ({_how(links)})")
            else:
                node = self._add(at, f"{target}  ({_how(links)}){self._expression(target)}")
            if node is None:
                return
            self._links(node, target)

    def _expression(self, place: Place) -> str:
        text = self._traced.expressions.get(place)
        return f" = {text}" if text else ""


def _grouped(links: Iterable[Link], *, by_source: bool) -> dict[Place, list[Link]]:
    found: dict[Place, list[Link]] = {}
    for link in links:
        found.setdefault(link.source if by_source else link.target, []).append(link)
    return found


def _by_end(links: Iterable[Link], *, upstream: bool) -> Iterable[tuple[Place, list[Link]]]:
    found: dict[Place, list[Link]] = {}
    for link in links:
        found.setdefault(link.source if upstream else link.target, []).append(link)
    return found.items()


def _how(links: Iterable[Link]) -> str:
    """The text of how links act, such as ``direct, where``."""
    named = (link.kind.value if link.clause is None else link.clause.value for link in links)
    return ", ".join(dict.fromkeys(named))


def _text(label: str) -> Text:
    return cell(label.replace("\n", "\\n"))
