-- dialect: spark
CREATE VIEW v AS SELECT id, year, price, place, prices, coalesce(prices, map(0, price)) AS some FROM orders LATERAL VIEW explode(prices) p AS year, price LATERAL VIEW posexplode(price.tags) t AS place, day, tag;
