"""Reads CREATE FUNCTION, from the token after these words to the end. Only SQL functions have facts."""

from __future__ import annotations

from lakeschema.catalog.column_types import ColumnType
from lakeschema.catalog.ddl_columns import column_type
from lakeschema.catalog.ddl_cursor import Cursor
from lakeschema.catalog.ddl_statements import CreateFunction, IfExists, NoFacts
from lakeschema.catalog.relations import Dialect
from lakeschema.catalog.sql_functions import Parameter


def create_function(cursor: Cursor, if_exists: IfExists) -> CreateFunction | NoFacts:
    """Reads a function; skips one that is implemented by a class or in another language."""
    if cursor.skip("IF", "NOT", "EXISTS") and if_exists is not IfExists.REPLACE:
        if_exists = IfExists.KEEP
    name = cursor.name()
    if not cursor.sees("("):
        cursor.rest()
        return NoFacts()
    cursor.dialect = Dialect.SPARK
    parameters = _parameters(cursor)
    is_table, returns, columns = _returns(cursor)
    if not _skip_to_body(cursor):
        return NoFacts()
    return CreateFunction(name, parameters, _body(cursor), is_table, returns, columns, if_exists)


def parameters_of(text: str) -> tuple[Parameter, ...]:
    """The parameters of a list without parentheses, as Spark stores it.

    Raises:
        Unreadable: the text is not a parameter list.
    """
    source = f"({text})"
    return _parameters(Cursor(source, 0, len(source), Dialect.SPARK))


def _parameters(cursor: Cursor) -> tuple[Parameter, ...]:
    """Reads ``(name type [DEFAULT expression] [COMMENT 'x'], …)``, or empty parentheses."""
    cursor.expect("(")
    found: list[Parameter] = []
    while not cursor.skip(")"):
        if found:
            cursor.expect(",")
        name = cursor.identifier("a parameter's name")
        type_ = column_type(cursor)
        default = None
        while not (cursor.sees(",") or cursor.sees(")")):
            if cursor.skip("COMMENT"):
                cursor.string("a comment in quotes")
            elif cursor.skip("DEFAULT"):
                default = _expression(cursor)
            elif cursor.skip("COLLATE"):
                cursor.identifier()
            elif not cursor.skip("NOT", "NULL"):
                raise cursor.refuse("a comma or a parenthesis")
        found.append(Parameter(name, type_, default))
    return tuple(found)


def _expression(cursor: Cursor) -> str:
    start = end = cursor.next.start
    while not (cursor.at_end() or cursor.sees_any((",", ")", "COMMENT"))):
        if cursor.sees("("):
            cursor.balanced()
        else:
            cursor.take()
        end = cursor.last_end
    return cursor.source[start:end]


def _returns(cursor: Cursor) -> tuple[bool, ColumnType | None, tuple[Parameter, ...]]:
    if not cursor.skip("RETURNS"):
        return False, None, ()
    if cursor.skip("TABLE"):
        return True, None, _parameters(cursor) if cursor.sees("(") else ()
    return False, column_type(cursor), ()


def _skip_to_body(cursor: Cursor) -> bool:
    """Skips the function's characteristics; False if the function is not in SQL."""
    while not cursor.skip("RETURN"):
        if cursor.at_end() or (cursor.skip("LANGUAGE") and not cursor.sees("SQL")):
            cursor.rest()
            return False
        cursor.take()
    return True


def _body(cursor: Cursor) -> str:
    if cursor.at_end():
        raise cursor.refuse("an expression or a query")
    return cursor.rest()
