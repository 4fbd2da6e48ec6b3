"""Resolves TABLESAMPLE into a plan of some of the rows."""

from __future__ import annotations

import re

from lakeschema.catalog.column_types import BOOLEAN, DOUBLE, INT
from lakeschema.translation.plan.expressions import Call, Literal
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import Filter, Limit
from lakeschema.translation.resolution.context import Context
from lakeschema.translation.resolution.scopes import Scope
from lakeschema.translation.syntax import tree

SHARE = Operator("is in sample", NullClass.NEVER, deterministic=False)
"""The operator that tests whether a row is in a random share of the rows."""

PIECES = Operator("is in sampled pieces", NullClass.NEVER, deterministic=False)
"""The operator that tests whether a row is in the sampled buckets or pieces of files."""


def sampled(scope: Scope, sample: tree.Sample | None, context: Context) -> Scope:
    """The scope of a sample, with all columns. Hive samples pieces of files, Spark rows."""
    if sample is None:
        return scope
    if not sample.unit or not context.semantics.is_spark:
        return scope.with_plan(Filter(scope.plan, Call(PIECES, (), BOOLEAN, nullable=False)))
    if sample.unit == "ROWS":
        return scope.with_plan(Limit(scope.plan, Literal(sample.number, INT)))
    share = _share(sample)
    if share >= 1:
        return scope
    taken = Call(SHARE, (Literal(str(share), DOUBLE),), BOOLEAN, nullable=False)
    return scope.with_plan(Filter(scope.plan, taken))


def _share(sample: tree.Sample) -> float:
    """The share of a sample: for ``BUCKET 1 OUT OF 3`` Spark takes a random third of the rows."""
    number, _, of = (re.sub("[A-Za-z]+", "", part) for part in sample.number.partition("/"))
    return float(number) / (float(of) if of else 100)
