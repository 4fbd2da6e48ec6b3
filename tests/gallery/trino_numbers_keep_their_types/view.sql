-- dialect: trino
CREATE VIEW v AS
SELECT shop, sum(pieces) AS pieces, sum(pieces) / 2 AS half, sum(price * pieces) AS "Total", avg(price) AS mean,
  avg(tax) AS tax, max(weight) AS heaviest, count_if(weight > 1e0) AS heavy, DECIMAL '1.50' AS fee,
  array_agg(pieces ORDER BY price DESC) AS each
FROM sales
GROUP BY 1
