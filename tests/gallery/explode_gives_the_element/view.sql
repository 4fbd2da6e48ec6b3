CREATE VIEW v AS SELECT id, item.sku, item.count AS pieces FROM orders LATERAL VIEW explode(items) i AS item;
