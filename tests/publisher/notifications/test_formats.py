"""What receivers read: Slack's JSON and CloudEvents, whatever a relation is called."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.identifiers import RelationName
from publisher.notifications.cloud_events import cloud_event
from publisher.notifications.facts import (
    MAX_TEXT,
    Fact,
    Kind,
    broken,
    held_deletions,
    major_version,
    trial,
)
from publisher.notifications.messages import MAX_LISTED, Message, Told
from publisher.notifications.slack import slack_message
from publisher.redaction import SECRETS
from publisher.state.records import VersionRecord, VersionStatus

AT = 1_767_225_600.25
VERSION = VersionRecord(
    distribution="acme-schema-shop-orders",
    number="2.0.0",
    relation=RelationName.of("shop", "orders"),
    status=VersionStatus.RESERVED,
    content_hash="c",
    schema_text=None,
    wheel_sha256=None,
    filename="f",
    change="major",
    reasons=("field `id` removed",),
)
HOSTILE = (
    "<!channel>|",
    "<https://evil.example|click>",
    "`<!here>`",
    "@channel",
    "a\n*b* https://evil.example",
    "&lt;!channel&gt;",
    "\u202ex",
)


def message(*facts: Fact, owner: str = "", page: str = "") -> Message:
    told = [
        Told(f.id, f.kind, f.subject, f.details, AT + n, owner, page) for n, f in enumerate(facts)
    ]
    return Message("m1", "https://packages.example", told)


def slack_texts(sent: Message) -> Sequence[str]:
    body: Any = json.loads(slack_message(sent))
    texts = [body["text"]]
    for block in body["blocks"]:
        for element in block.get("elements", [block.get("text")]):
            assert (element["type"], element["verbatim"]) == ("mrkdwn", True)
            texts.append(element["text"])
    return texts


def event_of(sent: Message) -> Any:
    return json.loads(cloud_event(sent))


def test_a_major_version_is_a_cloud_event_with_its_reasons_and_owner() -> None:
    event = event_of(message(major_version(VERSION), owner="etl"))

    assert event == {
        "specversion": "1.0",
        "id": "m1",
        "source": "https://packages.example",
        "type": "schema-publisher.version.major",
        "subject": "shop.orders",
        "time": "2026-01-01T00:00:00.250Z",
        "datacontenttype": "application/json",
        "data": {
            "relation": "shop.orders",
            "owner": "etl",
            "package": "acme-schema-shop-orders",
            "version": "2.0.0",
            "reasons": ["field `id` removed"],
            "more_reasons": 0,
        },
    }


def test_held_deletions_of_the_whole_catalog_have_a_subject_and_no_namespace() -> None:
    event = event_of(message(held_deletions("", "3 of 4 relations missing", "confirm")))

    assert event["subject"] == "*"
    assert event["data"]["namespace"] is None


def test_the_slack_text_of_a_major_version_names_package_relation_owner_and_reason() -> None:
    (text, *_) = slack_texts(message(major_version(VERSION), owner="etl"))

    for part in (
        "`acme-schema-shop-orders 2.0.0`",
        "`shop.orders`",
        "`etl`",
        "`field 'id' removed`",
    ):
        assert part in text


def test_a_package_with_a_page_is_a_link_to_it() -> None:
    page = "https://packages.example/packages/acme-schema-shop-orders"

    (text, *_) = slack_texts(message(major_version(VERSION), page=page))

    assert f"<{page}|acme-schema-shop-orders 2.0.0>" in text


def outside_of_code(text: str) -> str:
    assert text.count("`") % 2 == 0
    return "".join(text.split("`")[::2])


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_name_mentions_nobody_and_makes_no_link(hostile: str) -> None:
    facts = (
        broken(hostile, "BROKEN", hostile),
        held_deletions(hostile, hostile, hostile),
        replace(major_version(replace(VERSION, reasons=(hostile,))), subject=hostile),
    )
    for sent in (*(message(fact, owner=hostile) for fact in facts), message(*facts)):
        for text in slack_texts(sent):
            assert "<" not in text
            assert ">" not in text
            assert not re.search("@[a-z]", text)
            assert "evil" not in outside_of_code(text)
            assert text.replace("\n", "").isprintable() or "\u2060" in text


@given(st.text(min_size=1, max_size=300))
def test_any_name_stays_within_its_code_span(name: str) -> None:
    (text, *_) = slack_texts(message(broken(name, "BROKEN", name), owner=name))

    plain = "*Relation broke*  · owner  · BROKEN: \nIt gets no new versions until it is repaired."
    assert outside_of_code(text) == f"{plain}\nschema-publisher · "
    event = event_of(message(broken(name, "BROKEN", name)))
    assert event["subject"] == name


def test_a_digest_counts_by_kind_and_lists_some() -> None:
    majors = [major_version(replace(VERSION, number=f"{n}.0.0")) for n in range(2, 5000)]
    sent = message(*majors, broken("shop.ids", "BROKEN", "why"))

    event, (text, *sections) = event_of(sent), slack_texts(sent)

    assert event["type"] == "schema-publisher.digest"
    assert event["data"]["counts"] == {"major": 4998, "broken": 1}
    assert len(event["data"]["facts"]) == MAX_LISTED
    assert event["data"]["omitted"] == 4999 - MAX_LISTED
    assert event["data"]["facts"][0]["id"] == majors[0].id
    assert "*4998 major versions*" in text
    assert "… and 4988 more" in text
    assert "*1 relations broke*" in text
    assert all(len(section) <= 3000 for section in sections)


def test_the_id_of_a_version_depends_on_the_version_alone() -> None:
    assert major_version(VERSION).id == major_version(replace(VERSION, reasons=())).id
    assert major_version(VERSION).id != major_version(replace(VERSION, number="3.0.0")).id


def test_a_secret_in_a_reason_is_not_told() -> None:
    SECRETS.learn("correct-horse-battery")

    details = broken("shop.ids", "BROKEN", "login correct-horse-battery failed").details

    assert details["reason"] == "login *** failed"


def test_a_long_reason_is_cut() -> None:
    assert broken("t", "BROKEN", "x" * 9999).details["reason"] == "x" * MAX_TEXT


def test_a_test_message_says_that_it_is_one() -> None:
    assert "This is a test" in slack_texts(message(trial()))[0]
    assert event_of(message(trial()))["type"] == "schema-publisher.test"
    assert trial().kind is Kind.TEST
