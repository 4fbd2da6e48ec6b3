"""Settings that shape packages alike, compared with those of the last snapshot, as notes.

What a changed one concerns is derived again although no fact changed. Work between two snapshots may
go on under changed settings, so that a note says no more than this once they change back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.selection import Selection
from publisher.settling.contents import BuildKeys
from publisher.state.protocol import Transaction
from publisher.state.records import RelationRecord, Urgency, WorkRequest

_PERHAPS = "?"
"""Before a note of settings that some relations may have been derived without."""

Records = Mapping[RelationName, RelationRecord]


@dataclass(frozen=True, slots=True)
class ChangedSetting:
    """A setting that is not as its ``note`` says, and what to derive again.

    Attributes:
        published_anew: of these, the relations that get a version for certain.
        perhaps_anew: those that get one if they were derived before the setting changed back.
    """

    note: str
    text: str
    names: Sequence[RelationName]
    published_anew: frozenset[RelationName] = frozenset()
    perhaps_anew: frozenset[RelationName] = frozenset()


class SettingsNotes:
    def __init__(self, selection: Selection, build_keys: BuildKeys, catalog_name: str) -> None:
        self._selection = selection
        # These names are stored: do not change them.
        self._settings: Sequence[
            tuple[str, str, Callable[[RelationRecord], bool], Callable[[RelationRecord], bool]]
        ] = (
            (
                f"@selection/{catalog_name}",
                selection.text,
                self._is_otherwise_selected,
                lambda record: record.content_hash is None,
            ),
            (
                f"@choices/{catalog_name}",
                build_keys.options,
                lambda record: record.content_hash is not None or record.is_unfit,
                lambda record: record.content_hash is not None,
            ),
            # What an earlier generator could not package, or other checks refused.
            (
                f"@generator/{catalog_name}",
                f"{build_keys.generator} {build_keys.checks}".strip(),
                lambda record: record.is_unfit,
                lambda _: False,
            ),
        )

    def begin_work(self, tx: Transaction) -> None:
        """Notes that relations are derived under these settings.

        Belongs in the transaction of each claim: another process may have carried out other
        settings since the last one. It writes only where a note says otherwise.
        """
        for note, text, *_ in self._settings:
            noted = tx.journal.note(note)
            if noted != text and not noted.startswith(_PERHAPS):
                tx.journal.write_note(note, f"{_PERHAPS}{noted}")

    def changed(self, tx: Transaction, records: Records) -> Sequence[ChangedSetting]:
        changes = []
        for note, text, is_concerned, is_published_anew in self._settings:
            noted = tx.journal.note(note)
            if noted == text:
                continue
            concerned = [record for record in records.values() if is_concerned(record)]
            names = [record.name for record in concerned]
            anew = frozenset(record.name for record in concerned if is_published_anew(record))
            if noted == f"{_PERHAPS}{text}":
                changes.append(ChangedSetting(note, text, names, perhaps_anew=anew))
            else:
                changes.append(ChangedSetting(note, text, names, published_anew=anew))
        return changes

    def _is_otherwise_selected(self, record: RelationRecord) -> bool:
        is_selected = self._selection.includes(record.name)
        return record.status is Status.OK and is_selected is (record.content_hash is None)


def derive_again(tx: Transaction, records: Iterable[RelationRecord]) -> None:
    """Lets the next work on these derive and package them although no fact changed."""
    for record in records:
        tx.graph.write(replace(record, inputs=None))


def carry_out(tx: Transaction, changes: Sequence[ChangedSetting], now: float) -> None:
    """Requests derivation of what the settings concern, and notes them."""
    for change in changes:
        derive_again(tx, tx.graph.records(change.names).values())
        tx.work.request(WorkRequest(name, now, Urgency.SNAPSHOT) for name in change.names)
        tx.journal.write_note(change.note, change.text)
