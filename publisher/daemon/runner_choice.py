"""Chooses where a snapshot runs: in this process, or on Spark for a large catalog."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import Final

from lakeschema.catalog.listing import list_relations
from lakeschema.catalog.relations import Catalog
from lakeschema.spark.session import SparkMissing
from publisher.settings import Runner, RunnerChoice, Settings, SparkCatalogSettings

log = logging.getLogger(__name__)

SPARK_FROM_RELATIONS: Final = 10_000
"""With fewer relations, one process derives all of them before Spark has even started."""


def is_spark_installed() -> bool:
    return find_spec("pyspark") is not None


def choose_runner(
    choice: RunnerChoice,
    settings: Settings,
    catalog: Catalog,
    *,
    has_spark: bool | None = None,
) -> Runner:
    """The runner for this catalog; ``has_spark`` is detected by default.

    Raises:
        CatalogUnavailable: the catalog could not be listed.
        SparkMissing: Spark is requested and not installed.
    """
    if choice == "local":
        return "local"
    if has_spark is None:
        has_spark = is_spark_installed()
    if choice == "spark":
        if not has_spark:
            raise SparkMissing
        return "spark"
    if isinstance(settings.default_catalog, SparkCatalogSettings):
        return "spark"
    relations = len(list_relations(catalog).names)
    if relations < SPARK_FROM_RELATIONS:
        return "local"
    if has_spark:
        return "spark"
    log.warning(
        "a catalog of this size is compared faster on Spark",
        extra={"relations": relations, "remedy": SparkMissing.hint},
    )
    return "local"
