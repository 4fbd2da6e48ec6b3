"""Derives some relations as a worker does, but writes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codegen.errors import CodegenError
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Derived
from publisher.publishing.packaging_protocol import Packaging
from publisher.runtime import Runtime, map_at_once
from publisher.selection import Selection
from publisher.settling.contents import Content, Packageable, Unfit, Withheld
from publisher.settling.findings import (
    CatalogReader,
    Crashed,
    Finding,
    Investigator,
    Reading,
    Settled,
    Unchanged,
)
from publisher.state.records import Claim, RelationRecord


class Contents:
    """Makes the content that a finding's package would have."""

    def __init__(self, packaging: Packaging, selection: Selection) -> None:
        self._packaging = packaging
        self._selection = selection

    def of(self, finding: Finding) -> Content:
        match finding:
            case Finding(conclusion=Settled(outcome=Derived(derivation))):
                relation = finding.reading.relation
                if relation is None or not self._selection.publishes(relation):
                    return Withheld()
                try:
                    request = self._packaging.request(relation, derivation)
                    return Packageable(self._packaging.content_hash(request))
                except CodegenError as error:
                    return Unfit(f"cannot be packaged: {error}")
            case _:
                return Withheld()


class Canary:
    def __init__(
        self,
        runtime: Runtime,
        reader: CatalogReader,
        investigator: Investigator,
        contents: Contents,
    ) -> None:
        self._runtime = runtime
        self._reader = reader
        self._investigator = investigator
        self._contents = contents

    def count_changing(self, names: Sequence[RelationName]) -> int:
        """How many of the relations would get a package that differs from the present one."""
        readings = [
            Reading(self._claim(name), answer.relation, answer.at_least, answer.at_most)
            for name, answer in self._reader.read(names).items()
            if not isinstance(answer, Exception)
        ]
        findings = self._investigator.investigate(readings)
        records = self._runtime.state.read(lambda tx: tx.graph.records(names))
        at_once = self._runtime.policy.questions_at_once
        return sum(map_at_once(at_once, lambda each: self._changes(each, records), findings))

    def _changes(
        self, finding: Finding | Crashed, records: Mapping[RelationName, RelationRecord]
    ) -> bool:
        match finding:
            case Crashed():
                return True
            case Finding(conclusion=Unchanged()):
                return False
            case Finding():
                content = self._contents.of(finding)
                published = records[finding.reading.name].published_hash
                return not (isinstance(content, Packageable) and content.content_hash == published)

    def _claim(self, name: RelationName) -> Claim:
        """A claim that only satisfies the interface: it is not in the state."""
        now = self._runtime.clock.now()
        return Claim(
            name,
            generation=0,
            fence=0,
            claimed_at=now,
            lease_until=now,
            attempts=0,
            retries=0,
            min_event_id=None,
            reread_at=None,
            first_asked=now,
        )
