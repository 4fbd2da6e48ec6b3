CREATE VIEW v AS SELECT id, item.sku, item.price * 2 AS doubled, tag FROM t LATERAL VIEW OUTER explode(items) i AS item LATERAL VIEW explode(tags) g AS tag;
