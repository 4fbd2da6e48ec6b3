"""Claims about the lineage of a query's columns, from the analysis of its text and from its plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lakeschema.analysis.catalog import KnownCatalog, KnownTable
from lakeschema.analysis.column_lineage import column_lineage
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Options
from tests.judges.lineage.views import NUMBER, TEXT, LineageTable
from tests.judges.lineage.worlds import Changed

_TYPES: Final = {NUMBER: "INT", TEXT: "STRING"}
_DIRECT: Final = "direct"


@dataclass(frozen=True, slots=True)
class Claims:
    """The columns of tables on which one output column depends, with the reasons."""

    name: str
    because: Mapping[Changed, str]


class Claimants:
    """Asks the analysis and the plan about queries over the same tables."""

    def __init__(self, lake: Sequence[LineageTable]) -> None:
        catalog = KnownCatalog()
        for table in lake:
            columns = tuple(name for name, _ in table.columns)
            catalog = catalog.with_table(RelationName.of(table.name), KnownTable(columns))
        self._catalog = catalog
        ddl = (
            f"CREATE TABLE {table.name} ({', '.join(f'{c} {_TYPES[k]}' for c, k in table.columns)})"
            for table in lake
        )
        self._interfaces = {
            name: derive(relation, {}, Options()).interface
            for name, relation in relations_from_ddl(ddl, Dialect.SPARK).items()
        }

    def analysed(self, text: str) -> Sequence[Claims] | None:
        """The claims of the analysis; None if it cannot read the text."""
        (analysed,) = analyse(text, grammar_of("spark"), self._catalog)
        if analysed.resolved is None:
            return None
        (lineage,) = column_lineage(analysed.resolved)
        rows = [((str(c.source), c.column), clause.value) for clause, c in lineage.rows]
        return [
            _claims(
                output.column,
                rows,
                [((str(c.source), c.column), clause.value) for clause, c in output.indirect],
                [(str(c.source), c.column) for c in output.direct],
            )
            for output in lineage.columns
        ]

    def planned(self, text: str) -> Sequence[Claims] | None:
        """The claims of the plan; None if the derivation does not support the query."""
        made = relations_from_ddl([f"CREATE VIEW v AS {text}"], Dialect.SPARK)
        view = made[RelationName.of("default", "v")]
        try:
            derivation = derive(view, self._interfaces, Options())
        except TranslationError:
            return None
        rows = [
            ((i.source.relation.name, i.source.column), i.clause.value)
            for i in derivation.rows or ()
        ]
        return [
            _claims(
                column.column,
                rows,
                [
                    ((i.source.relation.name, i.source.column), i.clause.value)
                    for i in column.indirect
                ],
                [(s.relation.name, s.column) for s in column.sources],
            )
            for column in derivation.lineage
        ]


def _claims(
    name: str,
    rows: Iterable[tuple[Changed, str]],
    indirect: Iterable[tuple[Changed, str]],
    direct: Iterable[Changed],
) -> Claims:
    """If there are several reasons, the one nearest to the value counts."""
    return Claims(name, dict(rows) | dict(indirect) | dict.fromkeys(direct, _DIRECT))
