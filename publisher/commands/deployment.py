"""Opens and closes a deployment's state and engine for commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Relation
from publisher.commands.failures import NO, Refused
from publisher.daemon.adapters import build_index, build_processes, open_catalog
from publisher.daemon.assembly import build_engine, build_state, take_part
from publisher.daemon.definitions import Definitions, Unanswered
from publisher.daemon.engine import Engine
from publisher.outages import Outages
from publisher.settings import Settings, SparkCatalogSettings
from publisher.state.opening import state_exists
from publisher.state.places import place_of
from publisher.state.protocol import State


@dataclass(frozen=True, slots=True)
class OpenDeployment:
    state: State
    catalog: Catalog
    engine: Engine

    def knows(self, name: RelationName) -> bool:
        """Whether the relation was ever recorded, or the catalog has it now.

        Raises:
            CatalogUnavailable: the relation was not recorded, and the catalog does not answer.
        """
        return name in self.state.read(lambda tx: tx.graph.records([name])) or bool(
            self.catalog.read([name])
        )


def facts_now(settings: Settings, name: RelationName) -> Relation | Unanswered | None:
    """A relation's current facts in the catalog, within a short time; None if it does not exist.

    A catalog on Spark is not read: its session takes longer to start than a person waits.
    """
    if isinstance(settings.default_catalog, SparkCatalogSettings):
        return Unanswered("")
    with open_catalog(settings) as opened:
        return Definitions(opened, Outages()).read(name)


def state_to_read(settings: Settings) -> State:
    """The existing state; a command that only reads does not create it.

    Raises:
        Refused: there is no state yet.
        StateUnavailable: the state's database does not answer.
    """
    place = place_of(settings.state)
    if not state_exists(place):
        raise Refused(
            NO,
            f"there is no state at {place}: nothing was published from here yet",
            "start schema-publisher run or schema-publisher snapshot, "
            "or name the deployment's settings with --config",
        )
    return build_state(settings)


@contextmanager
def opened_deployment(settings: Settings) -> Iterator[OpenDeployment]:
    with (
        open_catalog(settings) as catalog,
        closing(build_state(settings)) as state,
        take_part(settings, state),
        build_processes(settings) as processes,
    ):
        engine = build_engine(settings, state, catalog, build_index(settings), processes)
        yield OpenDeployment(state, catalog, engine)
