"""The results of ``project apply`` and ``project drift`` for people."""

from __future__ import annotations

from io import StringIO

from lakeschema.catalog.identifiers import RelationName
from publisher.commands.output.project_output import write_applied, write_drift
from publisher.commands.planning.formats import ReportFormat
from publisher.commands.projects.applying import Applied, Ending
from publisher.commands.projects.drifting import Drifted
from publisher.commands.projects.values import Record
from publisher.commands.registering.registration import Change, Registered

RECORD = Record("shop-views", "0123456789abcdef", "ada", "2026-01-01T00:00:00Z", "first")
A, B = RelationName.of("shop", "a"), RelationName.of("shop", "b")
APPLIED = [
    Applied(A, Ending.RESTORED, "shop.b could not be written"),
    Applied(B, Ending.REFUSED, "there is no room | for it"),
]
REGISTERED = [Registered(A, "hive.trino_shop.a", Change.CREATED)]


def applied(chosen: ReportFormat) -> str:
    stream = StringIO()
    write_applied(APPLIED, REGISTERED, RECORD, chosen, stream)
    return stream.getvalue()


def drifted(found: list[Drifted], chosen: ReportFormat) -> str:
    stream = StringIO()
    write_drift(found, "shop-views", chosen, stream)
    return stream.getvalue()


def test_what_was_applied_is_counted_and_listed() -> None:
    assert (
        applied(ReportFormat.TEXT)
        == """\
1 restored, 1 refused

views
  view    what      why
  shop.a  restored  shop.b could not be written
  shop.b  refused   there is no room | for it

views in Trino
  view    place              what
  shop.a  hive.trino_shop.a  created
"""
    )


def test_markdown_escapes_what_the_metastore_says() -> None:
    text = applied(ReportFormat.MARKDOWN)

    assert text.startswith("### Apply shop-views: 1 restored, 1 refused\n")
    assert "| shop.b | refused | `there is no room \\| for it` |" in text


def test_nothing_to_apply_is_said() -> None:
    stream = StringIO()

    write_applied([], [], RECORD, ReportFormat.TEXT, stream)

    assert stream.getvalue() == "nothing to apply\n"


def test_drift_tells_who_applied_the_view_and_when() -> None:
    found = [Drifted(A, "was changed by hand: text", RECORD), Drifted(B, "is missing", None)]

    assert (
        drifted(found, ReportFormat.TEXT)
        == """\
2 views of shop-views drifted

drifted
  view    what                       applied
  shop.a  was changed by hand: text  2026-01-01T00:00:00Z by ada, commit 0123456789ab
  shop.b  is missing
"""
    )
    assert drifted(found[:1], ReportFormat.MARKDOWN).startswith(
        "### Drift: 1 view of shop-views drifted\n"
    )


def test_without_drift_all_is_said_in_one_line() -> None:
    assert drifted([], ReportFormat.TEXT) == ("all views of shop-views are as they were applied\n")
