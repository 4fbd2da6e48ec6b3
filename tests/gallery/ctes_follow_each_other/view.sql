CREATE VIEW v AS WITH big AS (SELECT * FROM orders WHERE total > 100), days AS (SELECT day, count(*) AS n FROM big GROUP BY day) SELECT day, n FROM days WHERE n > 1;
