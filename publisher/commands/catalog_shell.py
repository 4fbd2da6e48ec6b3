"""The command ``catalog``: statements choose, list and resolve names in the deployment's catalogs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from publisher.commands.arguments import Config, Json
from publisher.commands.failures import USAGE_ERROR, Failure, Refused, failure_of
from publisher.redaction import SECRETS

if TYPE_CHECKING:
    from lakeschema.catalog.name_resolution import Resolved
    from lakeschema.catalog.registered_catalogs import RegisteredCatalog
    from lakeschema.catalog.session_commands import Answer, NamesShown
    from lakeschema.catalog.sessions import Rules, Session
    from publisher.commands.output.protocol import Output
    from publisher.commands.reports import SessionAnswer


def catalog(
    statement: Annotated[
        list[str] | None,
        typer.Argument(
            help="USE, SHOW, CREATE NAMESPACE, DROP NAMESPACE, RESOLVE or DESCRIBE; "
            "by default the statements on standard input."
        ),
    ] = None,
    config: Config = None,
    *,
    spark: Annotated[
        bool,
        typer.Option("--spark", help="Names mean what they mean inside Spark SQL text."),
    ] = False,
    json: Json = None,
) -> None:
    """Shows what a name means, and lists catalogs, namespaces, tables and views.

    Only CREATE NAMESPACE and DROP NAMESPACE change a catalog. An argument with a blank is a whole
    statement; arguments without blanks are the words of one statement. Without arguments, it prompts on a
    terminal.
    """
    from lakeschema.catalog.sessions import Rules
    from publisher.commands.output.choice import output_for
    from publisher.daemon.adapters import open_catalogs
    from publisher.settings import load_settings

    output = output_for(json)
    settings = load_settings(config)
    with open_catalogs(settings) as registered:
        shell = Shell(registered, Rules.SPARK if spark else Rules.PROPOSAL, output)
        if statement:
            shell.run_all(statements_of(statement))
        elif sys.stdin.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401  lines of a terminal are edited, and kept for recall
            converse(shell, input, _report)
        else:
            shell.run_all(_split(_standard_input()))


def statements_of(arguments: Sequence[str]) -> Iterator[str]:
    """The statements in arguments.

    ``USE prod`` as two arguments is one statement. An argument with blanks is a whole statement.
    """
    is_one = not any(character.isspace() for character in arguments[0])
    for text in [" ".join(arguments)] if is_one else arguments:
        yield from _split(text)


def _split(text: str) -> Iterator[str]:
    from lakeschema.catalog.ddl_tokens import statements

    yield from (text[start:end] for start, end in statements(text))


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused(USAGE_ERROR, "standard input: statements must be UTF-8") from None


class Shell:
    """Runs statements and shows each answer.

    The session continues from one statement to the next.
    """

    def __init__(
        self, registered: Mapping[str, RegisteredCatalog], rules: Rules, output: Output
    ) -> None:
        """Opens a session in the first catalog of ``registered``, which is the default catalog.

        By Spark's rules it is also ``spark_catalog``, unless another catalog has this name.
        """
        from lakeschema.catalog.registered_catalogs import open_session

        self.session: Session = open_session(registered, rules)
        self._catalogs = {
            name: each.catalog for name, each in registered.items() if each.catalog is not None
        }
        self._output = output

    @property
    def prompt(self) -> str:
        """The current catalog and namespace; both may be untrusted text."""
        from publisher.printable import printable

        place = (self.session.current_catalog, *self.session.current_namespace)
        return f"{printable('.'.join(place))}> "

    def run_all(self, texts: Iterable[str]) -> None:
        """Runs statements; ends with the first statement that fails."""
        for text in texts:
            self.run(text)

    def run(self, text: str) -> None:
        """Runs one statement.

        Raises:
            CatalogError: the statement is refused, or a catalog does not answer.
        """
        from lakeschema.catalog.session_commands import run
        from lakeschema.catalog.session_statements import read_statement

        statement = read_statement(text, self.session.rules)
        self.session, answer = run(statement, self.session, self._catalogs)
        self._output.session_answer(_with_texts(answer, self.session))


def converse(shell: Shell, read: Callable[[str], str], report: Callable[[Failure], None]) -> None:
    """Runs each line that ``read`` returns for a prompt, until the input ends.

    A statement that fails is reported, and the next line is read.
    """
    while True:
        try:
            line = read(shell.prompt)
        except EOFError:
            return
        try:
            shell.run_all(_split(line))
        except Exception as error:  # noqa: BLE001  a line is one unit of work
            report(failure_of(error))


def _report(failure: Failure) -> None:
    typer.echo(SECRETS.redact(str(failure)), err=True)


def _with_texts(answer: Answer, session: Session) -> SessionAnswer:
    """The answer of a statement, with a text for each name in the answer."""
    from lakeschema.catalog.name_resolution import FileSource, Resolved
    from lakeschema.catalog.session_commands import Described, NamesShown
    from publisher.commands.reports import SessionAnswer

    match answer:
        case Resolved():
            texts = [_text(answer, session)]
        case FileSource(table=table) | Described(resolved=table):
            texts = [_text(table, session)]
        case NamesShown():
            texts = list(_texts(answer, session))
        case _:
            texts = []
    return SessionAnswer(answer, texts)


def _texts(shown: NamesShown, session: Session) -> Iterator[str]:
    from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
    from lakeschema.catalog.name_resolution import Resolved, WrittenName
    from lakeschema.catalog.session_statements import Listed

    catalog = session.name_in_text(shown.catalog)
    for levels in shown.names:
        if shown.listed is Listed.NAMESPACES:
            yield str(WrittenName((catalog, *levels)))
        else:
            identifier = CatalogIdentifier(levels[:-1], levels[-1])
            yield _text(Resolved(shown.catalog, identifier), session)


def _text(resolved: Resolved, session: Session) -> str:
    """The name as a person may write it; "" if no text has this meaning."""
    from lakeschema.catalog.errors import SessionRefused
    from lakeschema.catalog.name_resolution import print_identifier

    try:
        return print_identifier(resolved, session)
    except SessionRefused:
        return ""
