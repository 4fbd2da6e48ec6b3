"""The foreign keys of TPC-DS and TPC-H, from their specifications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

Column: TypeAlias = tuple[str, str]
"""A table and its column."""
Pair: TypeAlias = tuple[Column, Column]
"""Two columns in alphabetical order."""

_TPCDS_TARGETS: Final[Mapping[str, Column]] = {
    "date_sk": ("date_dim", "d_date_sk"),
    "time_sk": ("time_dim", "t_time_sk"),
    "item_sk": ("item", "i_item_sk"),
    "customer_sk": ("customer", "c_customer_sk"),
    "cdemo_sk": ("customer_demographics", "cd_demo_sk"),
    "hdemo_sk": ("household_demographics", "hd_demo_sk"),
    "addr_sk": ("customer_address", "ca_address_sk"),
    "store_sk": ("store", "s_store_sk"),
    "promo_sk": ("promotion", "p_promo_sk"),
    "warehouse_sk": ("warehouse", "w_warehouse_sk"),
    "call_center_sk": ("call_center", "cc_call_center_sk"),
    "catalog_page_sk": ("catalog_page", "cp_catalog_page_sk"),
    "ship_mode_sk": ("ship_mode", "sm_ship_mode_sk"),
    "reason_sk": ("reason", "r_reason_sk"),
    "web_site_sk": ("web_site", "web_site_sk"),
    "web_page_sk": ("web_page", "wp_web_page_sk"),
    "income_band_sk": ("income_band", "ib_income_band_sk"),
}
"""Keys by the ends of the names of columns that refer to them."""
_TPCDS_SALES: Final[Sequence[tuple[Column, Column]]] = (
    (("store_returns", "sr_ticket_number"), ("store_sales", "ss_ticket_number")),
    (("store_returns", "sr_item_sk"), ("store_sales", "ss_item_sk")),
    (("catalog_returns", "cr_order_number"), ("catalog_sales", "cs_order_number")),
    (("catalog_returns", "cr_item_sk"), ("catalog_sales", "cs_item_sk")),
    (("web_returns", "wr_order_number"), ("web_sales", "ws_order_number")),
    (("web_returns", "wr_item_sk"), ("web_sales", "ws_item_sk")),
)
"""Returns refer to sales: keys of two columns each."""


def tpcds_keys(tables: Mapping[str, Sequence[str]]) -> frozenset[Pair]:
    """``tables`` maps names of tables to their columns."""
    found = {pair_of(*sold) for sold in _TPCDS_SALES}
    for table, columns in tables.items():
        for column in columns:
            for ending, target in _TPCDS_TARGETS.items():
                if column.endswith(f"_{ending}") and table != target[0]:
                    found.add(pair_of((table, column), target))
    return frozenset(found)


def pair_of(first: Column, second: Column) -> Pair:
    return min(first, second), max(first, second)


TPCH_KEYS: Final = frozenset(
    pair_of(*each)
    for each in (
        (("nation", "n_regionkey"), ("region", "r_regionkey")),
        (("supplier", "s_nationkey"), ("nation", "n_nationkey")),
        (("customer", "c_nationkey"), ("nation", "n_nationkey")),
        (("partsupp", "ps_partkey"), ("part", "p_partkey")),
        (("partsupp", "ps_suppkey"), ("supplier", "s_suppkey")),
        (("orders", "o_custkey"), ("customer", "c_custkey")),
        (("lineitem", "l_orderkey"), ("orders", "o_orderkey")),
        (("lineitem", "l_partkey"), ("part", "p_partkey")),
        (("lineitem", "l_suppkey"), ("supplier", "s_suppkey")),
        (("lineitem", "l_partkey"), ("partsupp", "ps_partkey")),
        (("lineitem", "l_suppkey"), ("partsupp", "ps_suppkey")),
    )
)
