"""A page as a browser reads it: its elements, their nesting, its text."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"meta", "br", "input", "link", "wbr"}


class Outline(HTMLParser):
    """Attributes:
    tags: every element's name, in order; ids: every id.
    links: every href but those of the bar that is on all pages, which are in navigation.
    faults: elements that close another than the one that is open.
    text: as a browser shows it, each run of white space as one space.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.faults: list[str] = []
        self._data: list[str] = []
        self._open: list[str] = []
        self._bar = False
        self.links: list[str] = []
        self.navigation: list[str] = []
        self.feed(page)
        self.close()
        self.faults += self._open

    @property
    def ids(self) -> list[str]:
        return [value or "" for _, name, value in self.attributes if name == "id"]

    @property
    def text(self) -> str:
        return " ".join("".join(self._data).split())

    @property
    def headings(self) -> list[int]:
        return [int(tag[1]) for tag in self.tags if tag in {"h1", "h2", "h3", "h4"}]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        self._bar = self._bar or ("aria-label", "Site") in attrs
        for name, value in attrs if tag == "a" else ():
            if name == "href":
                (self.navigation if self._bar else self.links).append(value or "")
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self._bar = self._bar and tag != "nav"
        if not self._open or self._open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self._data.append(data)
