"""Work that only retries becomes a trouble after a while; the first finished relation ends it."""

from __future__ import annotations

from dataclasses import dataclass

from lakeschema.catalog.identifiers import RelationName
from publisher.progress import MAX_OWN_FAILURES, STALLED_AFTER_SECONDS, Progress, Retried

T, V = RelationName.of("d", "t"), RelationName.of("d", "v")
AGAIN = Retried("the page is damaged")


@dataclass
class Hand:
    """A clock that is set by hand."""

    seconds: float = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_several_relations_that_only_retry_for_long_are_a_trouble() -> None:
    clock = Hand()
    progress = Progress(clock)
    progress.note(1, {T: AGAIN})
    clock.seconds += STALLED_AFTER_SECONDS - 1
    progress.note(1, {V: AGAIN})
    assert not progress.troubles()

    clock.seconds += 1

    text = "for 300 s each attempt at 2 relations ended in another one; d.v: the page is damaged"
    assert progress.troubles() == {"work": text}


def test_the_first_relation_that_is_done_ends_it() -> None:
    clock = Hand()
    progress = Progress(clock)
    progress.note(2, {T: AGAIN, V: AGAIN})
    clock.seconds += STALLED_AFTER_SECONDS

    progress.note(2, {T: AGAIN})

    assert not progress.troubles()
    clock.seconds += STALLED_AFTER_SECONDS
    assert not progress.troubles()


def test_one_relation_in_trouble_is_not_all_work() -> None:
    clock = Hand()
    progress = Progress(clock)

    progress.note(1, {T: AGAIN})
    clock.seconds += STALLED_AFTER_SECONDS
    progress.note(1, {T: AGAIN})

    assert not progress.troubles()


def test_relations_that_have_failed_for_long_are_in_trouble_of_their_own() -> None:
    clock = Hand()
    progress = Progress(clock)

    failed = Retried("refused", MAX_OWN_FAILURES + 1)
    progress.note(2, {T: failed, V: failed})
    clock.seconds += STALLED_AFTER_SECONDS

    assert not progress.troubles()
