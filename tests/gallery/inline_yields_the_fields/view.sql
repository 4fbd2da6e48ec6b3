CREATE VIEW v AS SELECT id, sku, cost FROM t LATERAL VIEW inline(items) i AS sku, cost;
