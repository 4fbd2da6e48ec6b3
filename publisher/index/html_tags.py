"""Reads the opening tags of untrusted HTML in linear time.

The standard library's parsers, and parsers that build a tree, need quadratic time for some texts.
Here each search continues after its match, or ends the page.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

MAX_TAG_CHARACTERS = 64 * 1024
"""The limit of a tag's length; tags of an index have a few hundred characters."""

_NAME = re.compile(r"</?([A-Za-z][^\s/>]*+)")
_TAG_END = re.compile(r"""(?:[^>"']++|"[^"]*+"|'[^']*+')*+>""")
_ATTRIBUTE = re.compile(r"""([^\s=/>"']++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++)))?+""")
_RAW_TEXT = {
    name: re.compile(f"</{name}", re.IGNORECASE)
    for name in ("script", "style", "title", "textarea")
}
"""For each element that contains plain text, in which a ``<`` opens no tag, the pattern of its end."""


class MalformedMarkup(ValueError):
    """The text is not HTML that this reader supports; the message says why."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag. Its name and its attributes' names are in lower case.

    If attributes have the same name, the first counts.
    """

    name: str
    attributes: Mapping[str, str]


def opening_tags(text: str) -> Iterator[Tag]:
    """The opening tags in order, without the tags in comments and scripts.

    Raises:
        MalformedMarkup: a tag does not end, or has a malformed character reference.
    """
    position = text.find("<")
    while position >= 0:
        name = _NAME.match(text, position, position + MAX_TAG_CHARACTERS)
        if name is None:
            position = text.find("<", _end_of_other(text, position))
            continue
        end = _TAG_END.match(text, name.end(), position + MAX_TAG_CHARACTERS)
        if end is None:
            raise MalformedMarkup(f"a tag does not end, or is longer than {MAX_TAG_CHARACTERS}")
        position = end.end()
        if text[name.start() + 1] != "/":
            tag = name[1].lower()
            yield Tag(tag, _attributes(text[name.end() : position]))
            position = _behind_raw_text(text, tag, position)
        position = text.find("<", position)


def _end_of_other(text: str, start: int) -> int:
    """The end of a comment, of a declaration, or of a ``<`` without a name.

    If the construct does not end, this is the end of the page.
    """
    if text.startswith("<!--", start):
        end, length = text.find("-->", start + 4), 3
    elif text.startswith(("<!", "<?", "</"), start):
        end, length = text.find(">", start), 1
    else:
        end, length = start, 1
    return end + length if end >= 0 else len(text)


def _behind_raw_text(text: str, tag: str, position: int) -> int:
    if tag not in _RAW_TEXT:
        return position
    end = _RAW_TEXT[tag].search(text, position)
    return end.start() if end is not None else len(text)


def _attributes(text: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text):
        value = next((v for v in match.groups()[1:] if v is not None), "")
        try:
            found.setdefault(match[1].lower(), html.unescape(value))
        except ValueError as error:
            # The character reference has thousands of digits, which ``int`` refuses.
            raise MalformedMarkup("a character reference is malformed") from error
    return found
