"""One database transaction, with an object for each part of the state."""

from __future__ import annotations

from sqlalchemy import Dialect

from publisher.state.protocol import (
    Catalogue,
    Fillings,
    Journal,
    Memo,
    Outbox,
    RelationGraph,
    Search,
    Tallies,
    VersionLedger,
    WorkQueue,
)
from publisher.state.sql.catalogue import SqlCatalogue
from publisher.state.sql.connection import Driver, SqlConnection
from publisher.state.sql.fillings import SqlFillings
from publisher.state.sql.graph import SqlRelationGraph
from publisher.state.sql.journal import SqlJournal
from publisher.state.sql.memo import SqlMemo
from publisher.state.sql.outbox import SqlOutbox
from publisher.state.sql.search import SqlSearch
from publisher.state.sql.tallies import SqlTallies
from publisher.state.sql.versions import SqlVersionLedger
from publisher.state.sql.work import SqlWorkQueue


class SqlTransaction:
    def __init__(self, driver: Driver, dialect: Dialect) -> None:
        connection = SqlConnection(driver, dialect)
        self.work: WorkQueue = SqlWorkQueue(connection)
        self.graph: RelationGraph = SqlRelationGraph(connection)
        self.versions: VersionLedger = SqlVersionLedger(connection)
        self.memo: Memo = SqlMemo(connection)
        self.journal: Journal = SqlJournal(connection)
        self.tallies: Tallies = SqlTallies(connection)
        self.catalogue: Catalogue = SqlCatalogue(connection)
        self.search: Search = SqlSearch(connection)
        self.fillings: Fillings = SqlFillings(connection)
        self.outbox: Outbox = SqlOutbox(connection)
