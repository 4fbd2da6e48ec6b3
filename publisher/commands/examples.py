"""The examples at the end of each command's help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

EXAMPLES: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "demo": ("demo",),
        "run": ("run", "run --config /etc/schema-publisher.toml --log-level warning"),
        "snapshot": ("snapshot --dry-run", "snapshot --runner local"),
        "plan": (
            "plan",
            "plan migrations/ release.sql",
            'plan "ALTER TABLE shop.orders ADD COLUMNS (note STRING)"',
            "plan change.sql --format svg > hit.svg",
            "plan ddl/ --against live",
            "plan --against https://packages.example/simple/",
            "git diff --name-only main -- '*.sql' | xargs cat | schema-publisher plan -",
        ),
        "status": ("status", "status --json | jq '.troubled[].relation'"),
        "coverage": ("coverage", "coverage --json | jq '.reasons[0]'"),
        "explain": ("explain shop.orders",),
        "catalog": (
            "catalog SHOW CATALOGS",
            "catalog SHOW TABLES IN hive.shop LIKE order%",
            'catalog "USE hive.shop" "RESOLVE orders"',
            'catalog --spark "RESOLVE spark_catalog.shop.orders"',
            "catalog",
        ),
        "impact": (
            "impact shop.orders.customer",
            "impact shop.orders.customer --log queries.jsonl --policies policies.toml",
            "impact shop.orders --format markdown > comment.md",
        ),
        "lineage": (
            "lineage shop.revenue.total",
            "lineage shop.orders.customer --downstream",
            "lineage shop.revenue --format svg > lineage.svg",
            "lineage shop.revenue --format openlineage",
            "lineage shop.orders --downstream --json | jq '.relations[].package'",
        ),
        "usage": (
            "usage queries.jsonl",
            "usage queries/ --show unused_since --days 180",
            "usage queries.jsonl --about shop.orders.customer",
            "usage queries.jsonl --show join_clusters --json | jq .relation",
        ),
        "doctor": ("doctor",),
        "verify": ("verify", "verify --repair"),
        "check": (
            "check requirements.txt --against https://packages.example/simple/ --prefix acme-schema",
            "check uv.lock",
        ),
        "resync": ("resync shop.orders", "resync"),
        "confirm-deletions": ("confirm-deletions", "confirm-deletions shop"),
        "confirm-changes": ("confirm-changes",),
        "republish": ("republish shop.orders", "republish --missing"),
        "adopt": ("adopt",),
        "retire": ("retire --dry-run",),
        "dead-letters": ("dead-letters", "dead-letters --discard 7"),
        "notify-test": ("notify-test", "notify-test data-team"),
        "translate": (
            "translate --batch < requests.jsonl > schemas.jsonl",
            "translate --to pig --script report.pig > tables_only.pig",
            "translate shop.revenue --to trino --policies policies.toml --group auditors",
            "translate shop.customers --to spark --policies policies.toml",
            "translate --batch --policies policies.toml < requests.jsonl > masked.jsonl",
        ),
        "analyze": (
            "analyze etl.sql --dialect hive --ddl tables.sql",
            "analyze --batch < statements.jsonl > lineage.jsonl",
            "analyze --batch --grants-from-metastore < statements.jsonl > privileges.jsonl",
        ),
        "dbt": (
            "dbt models_trino",
            "dbt models_trino --project warehouse --service http://schemas.example:8765",
        ),
        "register": (
            "register --engine trino --dry-run",
            "register shop.revenue --engine trino --replace",
            'register shop.customers --engine trino --policies policies.toml --views "hive.masked_{database}"',
        ),
        "project init": ("project init views", "project init views --from warehouse/ddl"),
        "project check": ("project check views", "project check views --offline"),
        "project plan": (
            "project plan views",
            "project plan views --format markdown > comment.md",
            "project plan views --format json > plan.json",
        ),
        "project apply": (
            "project apply views",
            "project apply views --plan plan.json --by ada",
            "project apply views --allow-major --drop",
            "project apply views --recover",
        ),
        "project drift": ("project drift views", "project drift views --format json"),
        "project build": ("project build views", "project build views --publish"),
        "generate": ("generate order.avsc --package acme_order --output src",),
    }
)


def examples_of(command: str) -> str:
    """The examples of a command as paragraphs, so that the help shows each on a separate line."""
    return "\n\n".join(["Examples:", *example_lines(command)])


def example_lines(command: str) -> Sequence[str]:
    """The command lines to type, with the program's name."""
    return [
        line if "| schema-publisher " in line else f"schema-publisher {line}"
        for line in EXAMPLES[command]
    ]
