CREATE VIEW v AS SELECT id, item.sku, tag FROM orders LATERAL VIEW explode(items) i AS item LATERAL VIEW OUTER explode(map_keys(tags)) t AS tag;
