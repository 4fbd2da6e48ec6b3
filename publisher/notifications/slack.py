"""Writes a message in the JSON of Slack's incoming webhooks, which other chats also accept. Pure.

Names come from a metastore. They stand in code spans, so that a chat turns them into neither links nor
mentions. https://docs.slack.dev/messaging/formatting-message-text
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from publisher.notifications.facts import Kind
from publisher.notifications.messages import Message, Told
from publisher.printable import printable

CONTENT_TYPE: Final = "application/json; charset=utf-8"

_MAX_NAME: Final = 200
_MAX_REASONS: Final = 5
_MAX_LINES: Final = 10
"""How many facts of a kind a digest shows."""
_MAX_SECTION: Final = 3000
"""Slack refuses longer texts."""
_WORD_JOINER: Final = "\u2060"

_PLURALS: Final = {
    Kind.MAJOR: "major versions",
    Kind.BROKEN: "relations broke",
    Kind.HELD: "deletions are held",
    Kind.TEST: "tests",
}


def slack_message(message: Message) -> bytes:
    sections = [*_sections(message)]
    footer = f"schema-publisher · {_code(message.source)}"
    return json.dumps(
        {
            "text": "\n".join((*sections, footer)),
            "blocks": [
                *({"type": "section", "text": _text(section)} for section in sections),
                {"type": "context", "elements": [_text(footer)]},
            ],
            # Nothing in the text becomes a link, a mention or a preview.
            "parse": "none",
            "link_names": False,
            "unfurl_links": False,
            "unfurl_media": False,
        }
    ).encode()


def _text(text: str) -> dict[str, Any]:
    return {"type": "mrkdwn", "verbatim": True, "text": text}


def _sections(message: Message) -> Iterator[str]:
    if not message.is_digest:
        (fact,) = message.facts
        yield _within(_lines(fact))
        return
    for kind, count in message.counts().items():
        facts = [fact for fact in message.facts if fact.kind is kind]
        shown = [f"• {_line(fact)}" for fact in facts[:_MAX_LINES]]
        more = [f"… and {count - len(shown)} more"] if count > len(shown) else []
        yield _within([f"*{count} {_PLURALS[kind]}*", *shown, *more])


def _within(lines: Sequence[str]) -> str:
    """As many whole lines as Slack accepts: a line that is cut could lose the end of a code span."""
    kept: list[str] = []
    for line in lines:
        if sum(map(len, kept)) + len(kept) + len(line) > _MAX_SECTION:
            break
        kept.append(line)
    return "\n".join(kept)


def _lines(fact: Told) -> Sequence[str]:
    match fact.kind:
        case Kind.MAJOR:
            reasons = [*fact.details["reasons"]]
            hidden = len(reasons[_MAX_REASONS:]) + fact.details["more_reasons"]
            return [
                f"*Major version* {_line(fact)}",
                *(f"• {_code(reason)}" for reason in reasons[:_MAX_REASONS]),
                *([f"… and {hidden} more reasons"] if hidden else []),
            ]
        case Kind.BROKEN:
            return [
                f"*Relation broke* {_line(fact)}",
                "It gets no new versions until it is repaired.",
            ]
        case Kind.HELD:
            return [f"*Deletions are held* {_line(fact)}"]
        case Kind.TEST:
            return ["This is a test: the notifications of schema-publisher arrive here."]


def _line(fact: Told) -> str:
    owner = f" · owner {_code(fact.owner)}" if fact.owner else ""
    details = fact.details
    match fact.kind:
        case Kind.MAJOR:
            package = f"{details['package']} {details['version']}"
            shown = f"<{fact.page}|{package}>" if fact.page else _code(package)
            return f"{shown} · relation {_code(fact.subject)}{owner}"
        case Kind.BROKEN:
            return f"{_code(fact.subject)}{owner} · {details['status']}: {_code(details['reason'])}"
        case Kind.HELD:
            where = _code(fact.subject) if fact.subject else "the whole catalog"
            return (
                f"{where} · {_code(details['reason'])} · if intended: {_code(details['command'])}"
            )
        case Kind.TEST:
            return "test"


def _code(text: str) -> str:
    """A code span. A chat shows its content unchanged, except ``&``, ``<``, ``>`` and mentions."""
    plain = printable(text)
    plain = plain if len(plain) <= _MAX_NAME else f"{plain[:_MAX_NAME]}…"
    # Some chats mention people even in code.
    plain = plain.replace("`", "'").replace("@", f"@{_WORD_JOINER}")
    return f"`{plain.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')}`"
