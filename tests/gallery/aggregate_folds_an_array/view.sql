-- dialect: spark
CREATE VIEW v AS
SELECT id, aggregate(prices, 0.0D, (sum, price) -> sum + price) AS total, reduce(prices, 0, (n, price) -> n + 1, n -> n > 2) AS big,
  zip_with(prices, prices, (a, b) -> a - b) AS differences, transform_values(counts, (name, n) -> n > 1) AS several, map_filter(counts, (name, n) -> n > 0) AS present
FROM baskets;
