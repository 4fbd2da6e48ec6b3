"""The clauses in which a query uses columns, named once for plans and for analyses."""

from __future__ import annotations

from enum import Enum


class Clause(Enum):
    SELECT = "select"
    JOIN = "join"
    WHERE = "where"
    GROUP_BY = "group by"
    HAVING = "having"
    QUALIFY = "qualify"
    ORDER_BY = "order by"
    PARTITION_BY = "partition by"
    LATERAL_VIEW = "lateral view"
    INSERT = "insert"
    UPDATE = "update"
    DISTINCT = "distinct"
    SET_OPERATION = "set operation"
    CONDITION = "condition"
