"""Applies policies at scans, so that nothing above sees values that readers may not see.

project email                        project email
  filter (country = 'DE')       →      filter (country = 'DE')
    scan customers (email, country)      project sha2(email, 256) as email, country
                                           filter (age >= 18)
                                             scan customers (email, country)

Policies' filters see unmasked values, so they are below the masks. Both are below any join. A scan
has the types that readers see; it is replaced by a scan with the types of the stored values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import (
    Call,
    Cast,
    RowExpression,
    walk,
)
from lakeschema.translation.plan.operators import OF_FILES
from lakeschema.translation.plan.relations import (
    Columns,
    Filter,
    Plan,
    Project,
    Scan,
    expressions,
    plans_of,
    references,
)
from lakeschema.translation.policies.masks import masked
from lakeschema.translation.policies.rules import Mask
from lakeschema.translation.rewriting.nodes import rewrite

_OF_FILES = frozenset(
    {
        *("input__file__name", "block__offset__inside__file", "row__offset__inside__block"),
        *("row__id", "row__is__deleted"),
        *("input_file_name", "input_file_block_start", "input_file_block_length"),
    }
)


@dataclass(frozen=True, slots=True)
class Enforced:
    """The filters and masks over a relation's rows.

    Attributes:
        rows: the rows of the relation without policies.
        conditions: conditions over the columns; rows that meet all of them are kept.
        masks: a mask for each column; None for an unmasked column.
    """

    rows: Plan
    conditions: Sequence[RowExpression]
    masks: Sequence[Mask | None]


def policies_at_scans(plan: Plan, enforced_at: Callable[[Scan], Enforced | None]) -> Plan:
    """The plan with policies: ``enforced_at`` gives the policies of each scanned relation, or None.

    Raises:
        UnsupportedConstruct: the plan reads file names, which may contain values.
    """
    governed = False

    def rule(node: Plan) -> Plan:
        nonlocal governed
        found = enforced_at(node) if isinstance(node, Scan) else None
        if found is None:
            return node
        governed = True
        return enforced(found, node.columns)

    changed = rewrite(plan, rule)
    if governed:
        _refuse_files(plan)
    return changed


def enforced(policy: Enforced, columns: Columns) -> Plan:
    """The rows that readers see, under ``columns``' names and types."""
    rows = policy.rows
    for condition in policy.conditions:
        rows = Filter(rows, condition)
    items: list[tuple[str, RowExpression]] = []
    for value, mask, column in zip(references(rows), policy.masks, columns, strict=True):
        shown = value if mask is None else masked(mask, value)
        same = shown.type == column.type
        items.append((column.name, shown if same else Cast(shown, column.type, shown.nullable)))
    return Project(rows, tuple(items))


def _refuse_files(plan: Plan) -> None:
    for node in plans_of(plan):
        for expression in expressions(node):
            for part in walk(expression):
                if isinstance(part, Call) and _is_of_files(part.operator.name):
                    raise UnsupportedConstruct("a row's file or place, in a view with policies,")


def _is_of_files(name: str) -> bool:
    return name in _OF_FILES or name.endswith(OF_FILES)
