"""One database transaction as the parts of the state."""

from __future__ import annotations

import sqlite3

from publisher.state.protocol import (
    Fillings,
    Journal,
    Memo,
    RelationGraph,
    Search,
    Tallies,
    VersionLedger,
    WorkQueue,
)
from publisher.state.sql.connection import SqlConnection
from publisher.state.sql.fillings import SqlFillings
from publisher.state.sql.graph import SqlRelationGraph
from publisher.state.sql.journal import SqlJournal
from publisher.state.sql.memo import SqlMemo
from publisher.state.sql.search import SqlSearch
from publisher.state.sql.tallies import SqlTallies
from publisher.state.sql.versions import SqlVersionLedger
from publisher.state.sql.work import SqlWorkQueue


class SqlTransaction:
    def __init__(self, driver: sqlite3.Connection) -> None:
        connection = SqlConnection(driver)
        self.work: WorkQueue = SqlWorkQueue(connection)
        self.graph: RelationGraph = SqlRelationGraph(connection)
        self.versions: VersionLedger = SqlVersionLedger(connection)
        self.memo: Memo = SqlMemo(connection)
        self.journal: Journal = SqlJournal(connection)
        self.tallies: Tallies = SqlTallies(connection)
        self.search: Search = SqlSearch(connection)
        self.fillings: Fillings = SqlFillings(connection)
