"""The text of an SVG: well-formed, harmless, and usable without a mouse and without sight."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import publisher.web.rendering
from publisher.pictures.drawing import PictureFormat, drawn
from publisher.pictures.graph import Edge, EdgeKind, Graph, Node, NodeKind, Tone
from publisher.pictures.style import PALETTE, STYLE
from publisher.pictures.svg import svg
from tests.publisher.pictures.hostile import NAMES, hostile_graph

SVG = "{http://www.w3.org/2000/svg}"
TAGS = {"svg", "title", "desc", "style", "g", "a", "rect", "path", "text"}
ATTRIBUTES = {
    *("xmlns", "class", "role", "aria-labelledby", "id", "href"),
    *("width", "height", "viewBox", "x", "y", "rx", "d"),
}


def two(label: str = "", *, link: str = "", kind: EdgeKind = EdgeKind.READS) -> Graph:
    nodes = (
        Node("a", "shop.orders", NodeKind.TABLE, "table", link),
        Node("b", "prod:shop.paid", NodeKind.VIEW, "view", link, is_focus=True),
    )
    return Graph("Relations around shop.paid", nodes, (Edge("a", "b", kind, label),))


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)


def texts(root: ET.Element, tag: str) -> list[str]:
    return [each.text or "" for each in root.iter(f"{SVG}{tag}")]


def test_hostile_names_stay_texts() -> None:
    text = svg(hostile_graph())

    root = parsed(text)
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= TAGS
    assert {name for each in root.iter() for name in each.attrib} <= ATTRIBUTES
    assert "<script" not in text.lower()
    assert len(list(root.iter(f"{SVG}a"))) == len(NAMES)


def test_no_control_or_direction_character_remains() -> None:
    shown = "".join(parsed(svg(hostile_graph(), is_alone=True)).itertext())

    assert [c for c in shown if not c.isprintable() and c != "\n"] == []
    assert "\\u202e" in shown
    assert "\\x1b" in shown


@given(st.text(max_size=60))
def test_any_name_makes_a_well_formed_picture(name: str) -> None:
    graph = Graph(name, (Node("k", name, NodeKind.TABLE, name, "/x"),))

    root = parsed(svg(graph, is_alone=True))

    assert root.tag == f"{SVG}svg"


def test_a_long_name_is_shortened_and_its_title_is_whole() -> None:
    name = f"shop.{'x' * 1_018}y"
    graph = Graph("long", (Node("k", name, NodeKind.TABLE),))

    root = parsed(svg(graph))

    assert name in texts(root, "title")
    (label,) = texts(root, "text")
    assert len(label) <= 34
    assert label.startswith("shop.")
    assert label.endswith("xy")
    assert int(root.attrib["width"]) < 400


def test_a_picture_has_a_title_and_says_what_it_holds() -> None:
    root = parsed(svg(two()))

    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == "picture-title picture-desc"
    assert texts(root, "title")[0] == "Relations around shop.paid"
    assert texts(root, "desc") == ["2 boxes, 1 arrow; sources are above their readers"]


def test_links_are_reached_by_keyboard_from_top_to_bottom() -> None:
    root = parsed(svg(two(link="/lineage/x")))

    # The children of an image are no links for a screen reader.
    assert root.attrib["role"] == "group"
    links = list(root.iter(f"{SVG}a"))
    assert [each.attrib["href"] for each in links] == ["/lineage/x"] * 2
    assert [texts(each, "text")[0] for each in links] == ["shop.orders", "prod:shop.paid"]
    assert ".picture a:focus-visible rect" in STYLE


def test_an_edge_shows_its_label_and_says_the_whole() -> None:
    expression = f"concat({', '.join(f'column_{n}' for n in range(40))})"

    root = parsed(svg(two(expression, kind=EdgeKind.DIRECT)))

    title = f"shop.orders (table) → prod:shop.paid (view): values: {expression}"
    assert title in texts(root, "title")
    (label,) = [e.text or "" for e in root.iter(f"{SVG}text") if e.attrib["class"] == "on-edge"]
    assert label.startswith("concat(")
    assert "…" in label


def test_a_picture_for_a_page_has_no_style_and_a_file_has_both_colours() -> None:
    page, file = svg(two()), svg(two(), is_alone=True)

    assert "<style>" not in page
    assert "style=" not in page + file
    assert "prefers-color-scheme: dark" in file


def test_a_file_has_the_colours_of_the_pages() -> None:
    folder = Path(publisher.web.rendering.__file__).parent
    page = (folder / "templates" / "style.css").read_text(encoding="utf-8")

    pages = re.findall(r"(--\w+): (#\w+)", page)
    ours = re.findall(r"(--\w+): (#\w+)", PALETTE)

    used = set(re.findall(r"var\((--\w+)\)", STYLE))
    assert used <= {name for name, _ in ours}
    shown = {name for name, _ in ours}
    assert ours == [each for each in pages if each[0] in shown]


def test_kinds_and_states_are_told_by_more_than_colour() -> None:
    node = Node("a", "shop.v", NodeKind.VIEW, "view, BROKEN", tone=Tone.BAD)

    root = parsed(svg(Graph("one", (node,))))

    assert "view, BROKEN" in texts(root, "text")
    (box,) = list(root.iter(f"{SVG}g"))
    assert box.attrib["class"] == "node view bad"


def test_text_is_never_smaller_than_12_pixels() -> None:
    sizes = [int(size) for size in re.findall(r"font-size: (\d+)px", STYLE)]

    assert min(sizes) >= 12


def test_a_file_is_cut_to_the_budget_and_says_so() -> None:
    nodes = tuple(Node(str(n), f"shop.v{n}", NodeKind.VIEW) for n in range(400))

    text = drawn(Graph("many", nodes), PictureFormat.SVG)

    root = parsed(text)
    shown = len(texts(root, "text"))
    assert shown <= 150
    assert f"{400 - shown} more do not fit" in texts(root, "desc")[0]


def test_equal_graphs_have_equal_texts() -> None:
    assert svg(hostile_graph()) == svg(hostile_graph())
