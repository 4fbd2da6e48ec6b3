"""Commands that need no deployment: translate, analyze, generate, demo."""

from __future__ import annotations

import importlib
import json as json_text
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from publisher.commands.arguments import Config, Group, Json, PolicyFile
from publisher.commands.failures import NO, OUTSIDE_FAILED, USAGE_ERROR, Refused
from publisher.commands.translating import print_relation, read_policy_file

_INVALID = "InvalidRequest"


def translate(
    relation: Annotated[
        str | None,
        typer.Argument(
            help="With --to: a view of the settings' catalog; a table with --policies or --to avro."
        ),
    ] = None,
    config: Config = None,
    *,
    batch: Annotated[bool, typer.Option(help="JSON Lines in, JSON Lines out.")] = False,
    to: Annotated[
        str | None,
        typer.Option(
            help="With --script: pig; for a relation: avro, plan, spark, trino, hive or pig."
        ),
    ] = None,
    script: Annotated[
        Path | None, typer.Option(help="A Pig script whose LOADs of views are replaced.")
    ] = None,
    policies: PolicyFile = None,
    group: Group = None,
    json: Json = None,
) -> None:
    """Translates a view, a masked table, a batch or a Pig script for another engine, or to an Avro schema."""
    chosen = read_policy_file(policies, group)
    if relation is not None:
        if batch or script is not None or to is None:
            hint = "add --to avro, plan, spark, trino, hive or pig, without --batch and --script"
            raise Refused(USAGE_ERROR, "a relation needs exactly one target", hint)
        print_relation(relation, to, chosen, config, as_json=json)
        return
    if script is not None:
        if batch or to != "pig" or chosen is not None:
            hint = "add --to pig, without --batch and --policies"
            raise Refused(USAGE_ERROR, "--script only reads Pig scripts", hint)
        _print_without_views(script, config)
        return
    if not batch or to is not None:
        raise Refused(
            USAGE_ERROR,
            "there is nothing to translate",
            "name a view or a table and add --to ENGINE, or call it with --batch, or with --to pig --script FILE",
        )
    from lakeschema.translation.functions.udf_plugins import PluginResolver, installed_references
    from lakeschema.translation.requests.batch import answer

    resolver = PluginResolver(installed_references())
    _answer_lines(lambda request: answer(request, resolver, chosen))


def _print_without_views(script: Path, config: Path | None) -> None:
    """Prints the script without views, resolved in the settings' catalog."""
    from lakeschema.translation.model.errors import TranslationError
    from lakeschema.translation.products.pig_scripts import script_without_views
    from publisher.daemon.adapters import build_options, open_catalog
    from publisher.settings import load_settings

    settings = load_settings(config)
    try:
        text = script.read_text(encoding="utf-8")
        with open_catalog(settings) as catalog:
            changed = script_without_views(text, catalog.read, build_options(settings))
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(USAGE_ERROR, str(error)) from error
    except TranslationError as error:
        raise Refused(NO, str(error), error.hint) from error
    sys.stdout.write(changed)


def analyze(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Files of SQL, or - for standard input.", metavar="FILE"),
    ] = None,
    config: Config = None,
    *,
    batch: Annotated[bool, typer.Option(help="JSON Lines in, JSON Lines out.")] = False,
    dialect: Annotated[
        str | None, typer.Option(help="Dialect of the files; by default spark.")
    ] = None,
    ask: Annotated[
        list[str] | None,
        typer.Option(help="Only this analysis of the files; may be given again.", metavar="NAME"),
    ] = None,
    namespace: Annotated[
        str | None, typer.Option(help="Namespace of bare names in the files, such as shop.")
    ] = None,
    ddl: Annotated[
        list[Path] | None,
        typer.Option(help="A file with DDL of the tables that the files read; may be given again."),
    ] = None,
    grants_from_metastore: Annotated[
        bool,
        typer.Option(
            "--grants-from-metastore",
            help="Read the privileges of a request's user from the settings' metastore, unless the request has grants.",
        ),
    ] = False,
    json: Json = None,
) -> None:
    """Shows what statements read and write, down to columns, without running them.

    Exit status 1 if a statement or a line cannot be read.
    """
    if bool(files) == batch:
        hint = "name files of SQL, or - for standard input, or call it with --batch for JSON Lines"
        raise Refused(USAGE_ERROR, "analyze reads files, or a batch", hint)
    if files:
        if grants_from_metastore:
            hint = "--grants-from-metastore is for the requests of --batch"
            raise Refused(USAGE_ERROR, "files have no users", hint)
        _analyze_files(files, _stated(dialect or "spark", ask, namespace, ddl), as_json=json)
        return
    if dialect or ask or namespace or ddl:
        hint = "leave out --dialect, --ask, --namespace and --ddl"
        raise Refused(USAGE_ERROR, "each request of a batch has its own options", hint)
    if not grants_from_metastore:
        _analyze_lines(lambda request: request)
        return
    from publisher.daemon.adapters import build_user_grants, open_catalog
    from publisher.settings import load_settings

    with open_catalog(load_settings(config)) as catalog:
        read = cache(build_user_grants(catalog))
        _analyze_lines(lambda request: _with_grants(request, read))


def _stated(
    dialect: str, ask: Sequence[str] | None, namespace: str | None, ddl: Sequence[Path] | None
) -> dict[str, Any]:
    """The parts that are the same in the requests for all files."""
    from publisher.commands.analyzing import read_sql

    found: dict[str, Any] = {"dialect": dialect, "ddl": [read_sql(path) for path in ddl or ()]}
    if ask:
        found["ask"] = list(ask)
    if namespace is not None:
        found["namespace"] = namespace.split(".")
    return found


def _analyze_files(
    files: Sequence[Path], stated: Mapping[str, Any], *, as_json: bool | None
) -> None:
    """Analyzes each file as a separate text."""
    from publisher.commands.analyzing import SHOWN, print_analysis, read_sql

    texts = [(str(path), read_sql(path)) for path in files]
    if as_json is None:
        as_json = not sys.stdout.isatty()
    asked = stated if as_json or "ask" in stated else {**stated, "ask": list(SHOWN)}
    unread = 0
    with _answering() as answer:
        for place, text in texts:
            found = answer({"id": place, "sql": text, **asked})
            if "error" in found and found["error"]["type"] == _INVALID:
                raise Refused(USAGE_ERROR, found["error"]["message"])
            if as_json:
                sys.stdout.write(json_text.dumps(found) + "\n")
            elif "error" not in found:
                print_analysis(place, found["result"])
            if "error" in found:
                raise Refused(NO, f"{place}: {found['error']['message']}")
            unread += sum("error" in each for each in found["result"]["statements"])
    if unread:
        raise typer.Exit(NO)


@contextmanager
def _answering() -> Iterator[Callable[[object], dict[str, Any]]]:
    """A function that answers requests within limits."""
    from lakeschema.analysis.limits import GIVEN_UP, LIMITS, REASON
    from lakeschema.isolation.limits import Handler, ProcessDied
    from lakeschema.isolation.pool import LimitedProcesses

    handlers = {"analyze": Handler("lakeschema.analysis.batch:answer_requests")}
    with LimitedProcesses(handlers, count=1, limits=LIMITS) as processes:

        def answer(request: object) -> dict[str, Any]:
            try:
                found: dict[str, Any] = processes.ask("analyze", request)
            except (ProcessDied, RecursionError) as error:
                reason = {"type": GIVEN_UP, "message": f"{REASON} ({error})"}
                id_ = request.get("id") if isinstance(request, dict) else None
                return {"id": id_, "error": reason}
            return found

        yield answer


def _analyze_lines(completed: Callable[[object], object]) -> None:
    """Answers a batch. On standard error, reports lines that exceeded limits or are not requests."""
    from lakeschema.analysis.limits import GIVEN_UP, REASON

    with _answering() as answer:
        noted = _answer_lines(lambda request: answer(completed(request)))
    for type_, reason in ((GIVEN_UP, REASON), (_INVALID, "they are no requests")):
        if type_ in noted:
            typer.echo(f"lines {', '.join(map(str, noted[type_]))}: {reason}", err=True)
    if _INVALID in noted:
        raise typer.Exit(NO)


def _with_grants(request: object, read: Callable[[str], object]) -> object:
    """The request with the grants of its user, unless the request has grants already."""
    if not isinstance(request, dict) or "grants" in request:
        return request
    user = request.get("user")
    return {**request, "grants": read(user)} if isinstance(user, str) else request


def _answer_lines(answer: Callable[[object], dict[str, Any]]) -> Mapping[str, Sequence[int]]:
    """Prints an answer for each line of standard input, in order.

    Returns the line numbers of answers with an error, by the type of error.
    """
    noted: dict[str, list[int]] = {}
    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.strip():
            continue
        try:
            request = json_text.loads(line)
        except (ValueError, RecursionError) as error:
            message = f"the line is not JSON: {error}"
            reply: dict[str, Any] = {"id": None, "error": {"type": _INVALID, "message": message}}
        else:
            reply = answer(request)
        if "error" in reply:
            noted.setdefault(reply["error"]["type"], []).append(number)
        sys.stdout.write(json_text.dumps(reply) + "\n")
        sys.stdout.flush()
    return noted


def generate(
    schema: Annotated[Path, typer.Argument(help="An Avro schema, such as order.avsc.")],
    package: Annotated[str, typer.Option(help="Import name of the package, such as acme_order.")],
    output: Annotated[Path, typer.Option(help="Folder for the package.")],
    *,
    immutable: Annotated[bool, typer.Option(help="Records are frozen and hashable.")] = False,
) -> None:
    """Writes a typed package for one Avro schema, without the service."""
    from codegen.errors import CodegenError
    from codegen.standalone import generate as write_package
    from lakeschema.avro.errors import MalformedAvroSchema
    from lakeschema.avro.model import Record
    from lakeschema.avro.parsing import parse_schema

    try:
        parsed = parse_schema(schema.read_text(encoding="utf-8"))
        if not isinstance(parsed, Record):
            raise Refused(USAGE_ERROR, f"{schema} is not a record", "a package is made of a record")
        write_package(parsed, package, output, immutable=immutable)
    except OSError as error:
        raise Refused(OUTSIDE_FAILED, str(error)) from error
    except (MalformedAvroSchema, CodegenError, UnicodeDecodeError) as error:
        raise Refused(USAGE_ERROR, str(error), getattr(error, "hint", "")) from error


def demo(
    *,
    keep: Annotated[bool, typer.Option(help="Keep the folder with all results.")] = False,
) -> None:
    """Shows the whole service on embedded servers, in under a minute, with a pip install at the end."""
    # The demo starts servers from files of a checkout, which the wheel lacks.
    if not (Path(__file__).parents[2] / "deploy" / "demo").is_dir():
        raise Refused(
            USAGE_ERROR,
            "the demo needs a checkout of the project; this is an installed package",
            "clone the repository and run: make demo",
        )
    run_demo = importlib.import_module("deploy.demo.story").run_demo
    run_demo(keep=keep)
