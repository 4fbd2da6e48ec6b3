-- dialect: spark
CREATE VIEW v AS SELECT customer, year(day) AS y, sum(total) AS total FROM orders GROUP BY ALL ORDER BY ALL;
