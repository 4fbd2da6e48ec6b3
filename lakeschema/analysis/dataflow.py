"""Where the data of each table comes from after a sequence of statements.

Source: Figure 4 of Uber's "Queryparser". A statement is a map from targets to sources; a sequence
is the composition of its maps, which is associative: parts of a log may be folded apart, and the
folds combined in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from lakeschema.analysis.catalog import Source
from lakeschema.analysis.table_lineage import compose

Dataflow: TypeAlias = Mapping[Source, tuple[Source, ...]]


def cumulative(steps: Iterable[Dataflow]) -> Dataflow:
    """The dataflow of all steps, one after the other. A table that is not in it is as it was."""
    return compose(steps)
