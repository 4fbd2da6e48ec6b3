-- dialect: spark
CREATE VIEW v AS SELECT transform(items, i -> i.sku) AS skus, filter(items, i -> i.count > 1) AS several, exists(items, i -> i.sku = 'x') AS has_x FROM orders;
