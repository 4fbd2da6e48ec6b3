"""A view of the catalog as the readers under a policy file get it: schemas and engines' texts."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Final

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.errors import TranslationError
from lakeschema.translation.policies.reading import InvalidPolicies, read_policies
from lakeschema.translation.policies.rules import Policies, UnknownGroup
from publisher.commands.arguments import names_near, relation_name, unknown_relation
from publisher.commands.failures import NO, USAGE_ERROR, Refused

TARGETS: Final = ("avro", "plan", "spark", "trino", "hive", "pig")


def read_policy_file(path: Path, group: str | None) -> Policies:
    """The policies of a TOML file, for readers of the group, or of none."""
    try:
        return read_policies(tomllib.loads(path.read_text(encoding="utf-8"))).for_group(group)
    except OSError as error:
        raise Refused(USAGE_ERROR, f"--policies: {path}: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise Refused(USAGE_ERROR, f"--policies: {path} is not TOML: {error}") from error
    except InvalidPolicies as error:
        raise Refused(USAGE_ERROR, f"--policies: {path}: {error}") from error
    except UnknownGroup as error:
        raise Refused(USAGE_ERROR, f"--group: {error}") from error


def print_governed(relation: str, to: str, policies: Policies, config: Path | None) -> None:
    """What ``translate --batch`` answers as ``result``, indented; a plan as text."""
    if to not in TARGETS:
        raise Refused(USAGE_ERROR, f"--to: expected one of {', '.join(TARGETS)}, got {to!r}")
    from lakeschema.translation.governed import govern
    from lakeschema.translation.pig_scripts import read_with_upstreams
    from lakeschema.translation.translated_json import governed_answer
    from publisher.daemon.adapters import build_options, open_catalog
    from publisher.settings import load_settings

    settings = load_settings(config)
    options = build_options(settings)
    name = relation_name(relation)
    with open_catalog(settings) as catalog:
        relations = read_with_upstreams([name], catalog.read, options)
        named = {text: RelationName.of(*text.split(".")) for text in policies.relations_named}
        known = catalog.read(sorted(named.values()))
        if name not in relations:
            near = names_near(catalog, name)
            raise unknown_relation(f"the catalog has no relation {name}", name, near, "")
        for text, each in sorted(named.items()):
            if each not in known:
                # What is misspelt would leave a table as it is.
                message = f"--policies: the catalog has no relation {text}"
                raise unknown_relation(message, each, names_near(catalog, each), "")
    if to != "avro" and not relations[name].is_view:
        raise Refused(NO, f"{name} is a table: only avro is available for tables")
    try:
        found = governed_answer(govern(name, relations, policies, options), to)
    except TranslationError as error:
        raise Refused(NO, str(error), error.hint) from error
    shown = found if isinstance(found, str) else json.dumps(found, indent=2) + "\n"
    sys.stdout.write(shown)
