CREATE VIEW v AS SELECT items.sku AS skus, items[0].count AS first_count FROM orders;
