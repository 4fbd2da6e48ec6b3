-- dialect: spark
CREATE VIEW v AS FROM orders
|> WHERE total > 10
|> EXTEND year(day) AS y
|> AGGREGATE sum(total) AS total, count(*) AS n GROUP BY customer, y
|> SET n = n + 1
|> ORDER BY total DESC
|> LIMIT 10;
