"""Runs DDL on the metastore, one statement at a time, and records the acknowledged statements.

If an answer is lost, the workload looks the statement up in the metastore afterwards: a killed server
has committed it or never will.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Mapping, Sequence
from random import Random

from thrift.Thrift import TException

from deploy.metastore import Metastore
from deploy.metastore_ddl import MetastoreDdl
from tests.chaos.catalog_reading import CatalogReader, Stored, stored_form
from tests.chaos.journal import Journal
from tests.chaos.lake import (
    Definition,
    Lake,
    Name,
    Statement,
    Table,
    View,
    apply,
    columns_of,
    statement_to_json,
)
from tests.chaos.random_statements import RandomStatements

_RETRY_SECONDS = 0.5
_CONNECT_SECONDS = 1.0
_PAUSE_SECONDS = (0.2, 1.0)


class UnexpectedCatalog(Exception):
    """The metastore holds neither the state before a statement nor after it: the run is void."""


class Workload:
    """``lake`` is the metastores' content, according to the statements that they took."""

    def __init__(
        self,
        metastores: Mapping[str, Metastore],
        databases: Sequence[str],
        seed: int,
        log: Journal,
    ) -> None:
        """``metastores``: by the name of their catalog; each gets the same databases."""
        self.lake: dict[Name, Definition] = {}
        self._metastores = metastores
        self._databases = databases
        self._log = log
        self._random = Random(seed)
        self._statements = {
            (catalog, database): RandomStatements(
                database, Random(f"{seed} {catalog} {database}"), catalog
            )
            for catalog in metastores
            for database in databases
        }
        self._stopping = threading.Event()
        self._ddl: dict[str, MetastoreDdl] = {}
        self._number = 0

    def create_databases(self) -> None:
        for metastore in self._metastores.values():
            with MetastoreDdl(metastore.uri) as ddl:
                for database in self._databases:
                    ddl.create_database(database)

    def run(self, count: int | None = None) -> None:
        """Runs ``count`` statements without pauses; without ``count``, with pauses until ``stop``."""
        while not self._stopping.is_set() and count != 0:
            # While one metastore restarts, the other one's relations change.
            catalogs = [c for c, each in self._metastores.items() if is_listening(each)]
            if not catalogs:
                self._stopping.wait(_RETRY_SECONDS)
                continue
            catalog = self._random.choice(catalogs)
            database = self._random.choice(sorted(self._databases))
            self._execute(self._statements[catalog, database].draw(self.lake))
            if count is None:
                self._stopping.wait(self._random.uniform(*_PAUSE_SECONDS))
            else:
                count -= 1

    def stop(self) -> None:
        self._stopping.set()

    def _execute(self, statement: Statement) -> None:
        self._number += 1
        self._log.write("issued", number=self._number, **statement_to_json(statement))
        outcome = self._attempt(statement)
        if outcome is None:
            return
        if outcome != "not applied":
            self.lake = apply(self.lake, statement)
        self._log.write(outcome, number=self._number)

    def _attempt(self, statement: Statement) -> str | None:
        """The statement's outcome as a line of the log; None if the run ended before it was known."""
        try:
            _perform(self._connected(statement.catalog), self.lake, statement)
        except (TException, OSError) as error:
            self._log.write("answer lost", number=self._number, why=repr(error)[:200])
            self._disconnect(statement.catalog)
            return self._look_up(statement)
        return "acknowledged"

    def _look_up(self, statement: Statement) -> str | None:
        """Asks the metastore about the statement until it answers; None if the run ends meanwhile."""
        metastore = self._metastores[statement.catalog]
        while not self._stopping.is_set():
            try:
                with CatalogReader(metastore.host, metastore.port) as reader:
                    found = {name: reader.relation(name) for name, _ in statement.changes}
            except (TException, OSError):
                self._stopping.wait(_RETRY_SECONDS)
                continue
            return self._compare(statement, found)
        return None

    def _compare(self, statement: Statement, found: Mapping[Name, Stored | None]) -> str:
        before = {name: _stored(self.lake.get(name)) for name in found}
        after = {name: _stored(definition) for name, definition in statement.changes}
        if found == after:
            return "applied"
        if found == before:
            return "not applied"
        raise UnexpectedCatalog(f"{statement}: found {found}")

    def _connected(self, catalog: str) -> MetastoreDdl:
        if catalog not in self._ddl:
            self._ddl[catalog] = MetastoreDdl(self._metastores[catalog].uri)
        return self._ddl[catalog]

    def _disconnect(self, catalog: str) -> None:
        ddl = self._ddl.pop(catalog, None)
        if ddl is not None:
            with contextlib.suppress(OSError):
                ddl.stop()

    def close(self) -> None:
        for catalog in [*self._ddl]:
            self._disconnect(catalog)


def is_listening(metastore: Metastore) -> bool:
    try:
        with socket.create_connection((metastore.host, metastore.port), _CONNECT_SECONDS):
            return True
    except OSError:
        return False


def _stored(definition: Definition | None) -> Stored | None:
    return None if definition is None else stored_form(definition)


def _perform(ddl: MetastoreDdl, lake: Lake, statement: Statement) -> None:
    name, definition = statement.changes[0]
    match statement.verb, definition:
        case "create", Table(columns):
            ddl.create_table(name.database, name.relation, columns)
        case "create", View():
            columns = columns_of({**lake, name: definition}, name) or ()
            ddl.create_view(name.database, name.relation, columns, definition.text)
        case "alter", Table(columns):
            ddl.replace_columns(name.database, name.relation, columns)
        case "alter", View():
            _alter_view(ddl, lake, name, definition)
        case "drop", None:
            ddl.drop(name.database, name.relation)
        case "rename", None:
            ddl.rename(name.database, name.relation, statement.changes[1][0].relation)
        case _:
            raise AssertionError(statement)


def _alter_view(ddl: MetastoreDdl, lake: Lake, name: Name, view: View) -> None:
    """Changes text and columns at once, like Hive's ALTER VIEW … AS."""
    columns = columns_of({**lake, name: view}, name) or ()
    changed = ddl.table(name.database, name.relation)
    changed.sd.cols = [type(changed.sd.cols[0])(name=each, type=type_) for each, type_ in columns]
    changed.viewOriginalText = changed.viewExpandedText = view.text
    ddl.alter(name.database, name.relation, changed)
