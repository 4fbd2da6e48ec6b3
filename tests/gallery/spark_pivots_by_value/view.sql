-- dialect: spark
CREATE VIEW v AS SELECT * FROM (SELECT customer, year(day) AS y, total FROM orders) PIVOT (sum(total) AS total, count(total) AS n FOR y IN (2024, 2025 AS last));
