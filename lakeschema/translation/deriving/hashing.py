"""Hashes that answer two questions: must a relation be derived again, and did its result change?

Equal content has an equal hash on any host and in any process.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from lakeschema.avro.printing import to_text
from lakeschema.catalog.facts_json import facts_hash, type_to_json
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.deriving.derivation_json import omitted_to_json, udf_to_json
from lakeschema.translation.functions.udfs import resolver_answers
from lakeschema.translation.model.interface import Interface, Options

DERIVER_VERSION = "9"
"""Increase it with every change that may change an existing view's schema, or add lineage."""


def interface_hash(interface: Interface) -> str:
    """SHA-256, in hex, of all facts that dependents may use: the Avro text and the typed columns."""
    columns = [[c.name, type_to_json(c.type), c.comment, c.nullable] for c in interface.columns]
    seen = [interface.name.to_json(), columns, to_text(interface.schema)]
    # This is added only if it is set, so that other interfaces keep their hashes.
    if interface.has_capitals:
        seen.append("capitals")
    return _sha256([*seen, omitted_to_json(interface)] if interface.omitted else seen)


def inputs_hash(
    relation: Relation, upstream_interface_hashes: Mapping[RelationName, str], options: Options
) -> str:
    """SHA-256, in hex, of everything that a derivation's result depends on."""
    upstreams = sorted((str(name), hash_) for name, hash_ in upstream_interface_hashes.items())
    resolved = {name: udf_to_json(udf) for name, udf in resolver_answers(relation, options).items()}
    chosen = options_to_json(options)
    # A resolver's answers are hashed like static entries.
    chosen["udfs"] = dict(sorted((chosen["udfs"] | resolved).items()))
    if relation.view is not None and relation.view.dialect is Dialect.TRINO:
        # Catalog names decide which relations the text means.
        chosen["trino_catalogs"] = dict(sorted(options.trino_catalogs.items()))
    if relation.view is not None and options.spark_catalogs:
        chosen["spark_catalogs"] = sorted(options.spark_catalogs)
    if relation.view is not None and options.catalogs:
        chosen["catalogs"] = [
            [name, rule.key, rule.folds_case] for name, rule in sorted(options.catalogs.items())
        ]
    return _sha256([facts_hash(relation), upstreams, chosen, DERIVER_VERSION])


def options_to_json(options: Options) -> dict[str, Any]:
    """The options that schemas depend on, as JSON in a fixed order, without answers of the resolver."""
    return {
        "casing": options.casing.value,
        "nullability": options.nullability.value,
        "strict": options.strict,
        "view_evolution": options.view_evolution.value,
        "timestamp_unit": options.timestamp_unit,
        "local_timestamps": options.local_timestamps,
        "max_sql_bytes": options.max_sql_bytes,
        "udfs": {name: udf_to_json(udf) for name, udf in sorted(options.udfs.items())},
    }


def _sha256(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
