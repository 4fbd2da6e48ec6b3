-- dialect: trino
CREATE VIEW v AS
SELECT b.id, t.sku, t.n AS how_many, t.place, name, weight
FROM baskets b
CROSS JOIN UNNEST(skus, counts) WITH ORDINALITY AS t (sku, n, place)
LEFT JOIN UNNEST(parts) AS p (name, weight) ON TRUE
