"""Compares the settings that shape all packages with the last snapshot's settings, kept as notes.

A changed setting causes new derivations although no fact changed. Between two snapshots, work may
run under changed settings, so a note only counts until the settings change back.
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
"""Prefix of a note whose settings may not apply to all derivations."""

Records = Mapping[RelationName, RelationRecord]


@dataclass(frozen=True, slots=True)
class ChangedSetting:
    """A setting that differs from its ``note``, and the relations to derive again.

    Attributes:
        published_anew: the relations among ``names`` that certainly get a new version.
        perhaps_anew: the relations that get a new version if they were derived before the setting
            changed back.
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
            # Relations that an earlier generator could not package, or other checks refused.
            (
                f"@generator/{catalog_name}",
                f"{build_keys.generator} {build_keys.checks}".strip(),
                lambda record: record.is_unfit,
                lambda _: False,
            ),
        )

    def begin_work(self, tx: Transaction) -> None:
        """Notes that derivations use these settings.

        Belongs in the transaction of each claim, because another process may have applied other
        settings since the last one. It only writes notes that differ.
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
    """Lets the next work derive and package these relations although no fact changed."""
    for record in records:
        tx.graph.write(replace(record, inputs=None))


def carry_out(tx: Transaction, changes: Sequence[ChangedSetting], now: float) -> None:
    """Requests derivations of the relations that the settings affect, and notes the settings."""
    for change in changes:
        derive_again(tx, tx.graph.records(change.names).values())
        tx.work.request(WorkRequest(name, now, Urgency.SNAPSHOT) for name in change.names)
        tx.journal.write_note(change.note, change.text)
