"""Event sources of catalogs other than the default catalog."""

from __future__ import annotations

from dataclasses import replace

from publisher.events.protocol import (
    Batch,
    DeadLetter,
    EventSource,
    Hint,
    NamespaceHint,
    SourceUnavailable,
)


def source_name(kind: str, catalog: str) -> str:
    """The key under which the source's position is stored.

    The key names the catalog, since each metastore has its own log.
    """
    return f"{kind} {catalog}" if catalog else kind


def of_catalog(source: EventSource, catalog: str) -> EventSource:
    """The source, with hints for relations of this catalog; "" is the default catalog."""
    return _CatalogSource(source, catalog) if catalog else source


class _CatalogSource:
    def __init__(self, source: EventSource, catalog: str) -> None:
        self._source = source
        self._catalog = catalog
        self.name = source_name(source.name, catalog)

    def poll(self, position: str | None, timeout_seconds: float) -> Batch | None:
        try:
            batch = self._source.poll(position, timeout_seconds)
        except SourceUnavailable as error:
            # The error names the catalog, since each metastore's log fails and recovers separately.
            raise SourceUnavailable(self.name, error.reason, error.hint) from error
        if batch is None:
            return None
        return replace(
            batch,
            hints=[self._hint(hint) for hint in batch.hints],
            dead_letters=[self._dead_letter(letter) for letter in batch.dead_letters],
            event_times={
                replace(name, catalog=self._catalog): at for name, at in batch.event_times.items()
            },
        )

    def acknowledge(self, position: str) -> None:
        self._source.acknowledge(position)

    def close(self) -> None:
        self._source.close()

    def _hint(self, hint: Hint) -> Hint:
        if isinstance(hint, NamespaceHint):
            return replace(hint, namespace=replace(hint.namespace, catalog=self._catalog))
        return replace(hint, relation=replace(hint.relation, catalog=self._catalog))

    def _dead_letter(self, letter: DeadLetter) -> DeadLetter:
        if letter.namespace is None:
            return letter
        return replace(letter, namespace=replace(letter.namespace, catalog=self._catalog))
