"""The command ``dbt``: translates a project's models to another engine's, in a separate folder."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from publisher.commands.dbt.manifest import Manifest, NotAManifest, read_manifest
from publisher.commands.dbt.writing import MARK, Ask, Choices, Skipped, write_models
from publisher.commands.failures import NO, OUTSIDE_FAILED, USAGE_ERROR, Refused
from publisher.printable import printable

_MARK_OF_PROPERTIES: Final = "# written by schema-publisher dbt"
_ANSWERED: Final = frozenset({200, 400, 422, 500})
_SECONDS: Final = 60.0


def dbt(
    output: Annotated[Path, typer.Argument(help="Folder for the translated models.")],
    *,
    project: Annotated[Path, typer.Option(help="The project, after dbt compile.")] = Path(),
    dialect: Annotated[
        Literal["spark", "hive"], typer.Option(help="The dialect of the models.")
    ] = "spark",
    service: Annotated[
        str | None,
        typer.Option(help="Address of a service that knows the tables which the project reads."),
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(help="With --service: the operations token.")
    ] = None,
) -> None:
    """Translates the models of a dbt project from Spark SQL or HiveQL to Trino."""
    manifest = _read(project / "target" / "manifest.json")
    if service is None and token_file is not None:
        raise Refused(USAGE_ERROR, "--token-file needs --service", "add --service URL")
    ask = _ask_here() if service is None else ask_service(service, token_file)
    choices = Choices(dialect, f"relation_{secrets.token_hex(8)}_")
    written, skipped = write_models(manifest, ask, choices)
    files = {output / each.path: each.text for each in written}
    files |= _properties(project, manifest, output)
    _write(output, files)
    for path in files:
        typer.echo(printable(f"written {path}"))
    _tell_skipped(skipped)


def _tell_skipped(skipped: Sequence[Skipped]) -> None:
    for each in skipped:
        typer.echo(printable(f"skipped {each.name}: {each.reason}"), err=True)
    if skipped:
        raise typer.Exit(NO)


def _read(path: Path) -> Manifest:
    try:
        return read_manifest(path.read_bytes())
    except FileNotFoundError:
        raise Refused(USAGE_ERROR, f"{path} does not exist", "run dbt compile first") from None
    except NotAManifest as error:
        raise Refused(USAGE_ERROR, f"{path} is not a manifest of dbt: {error}") from None


def _ask_here() -> Ask:
    from lakeschema.translation.functions.udf_plugins import PluginResolver, installed_references
    from lakeschema.translation.requests.batch import answer

    resolver = PluginResolver(installed_references())
    return lambda question: answer(question, resolver)


def ask_service(url: str, token_file: Path | None, timeout_seconds: float = _SECONDS) -> Ask:
    """A function that sends requests to a service's ``POST /translate``.

    Each answer may take ``timeout_seconds``.
    """
    import requests

    from lakeschema.http_sessions import BoundedSession

    session = BoundedSession(timeout_seconds)
    token = None if token_file is None else token_file.read_text(encoding="utf-8").strip()
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def ask(question: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            response = session.post(
                f"{url.rstrip('/')}/translate",
                json=question,
                headers=headers,
                timeout=timeout_seconds,
                allow_redirects=False,
            )
            if response.status_code in _ANSWERED:
                found: Mapping[str, Any] = response.json()
                return found
        except (requests.RequestException, ValueError) as error:
            raise Refused(OUTSIDE_FAILED, f"{url} does not answer: {error}") from None
        why = f"{url}/translate answered {response.status_code}: {response.text[:200]}"
        raise Refused(OUTSIDE_FAILED, why, _remedy(response.status_code))

    return ask


def _remedy(status: int) -> str:
    match status:
        case 401:
            return "add --token-file FILE"
        case 404 | 405:
            return "turn on translate.enabled in the service's settings"
        case 413:
            return "raise translate.max_bytes in the service's settings"
        case _:
            return ""


def _properties(project: Path, manifest: Manifest, output: Path) -> Mapping[Path, str]:
    """The YAML files next to the models, with sources, tests and documentation."""
    found = {}
    for folder in {project / model.folder for model in manifest.models if model.is_own}:
        for path in _yaml_files(folder):
            text = path.read_text(encoding="utf-8")
            found[output / path.relative_to(folder)] = f"{_MARK_OF_PROPERTIES}\n{text}"
    return dict(sorted(found.items()))


def _yaml_files(folder: Path) -> Iterator[Path]:
    for ending in ("yml", "yaml"):
        yield from folder.rglob(f"*.{ending}")


def _write(output: Path, files: Mapping[Path, str]) -> None:
    """Writes the files. Replaces only files that this command wrote before."""
    others = [path for path in files if path.exists() and not _is_ours(path)]
    if others:
        why = f"{others[0]} was not written by this command"
        raise Refused(USAGE_ERROR, why, "name a separate folder")
    earlier = [*output.rglob("*.sql"), *_yaml_files(output)]
    for path in earlier:
        if path not in files and _is_ours(path):
            path.unlink()
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _is_ours(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.readline().rstrip("\n") in {MARK, _MARK_OF_PROPERTIES}
