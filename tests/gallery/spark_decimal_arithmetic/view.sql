-- dialect: spark
CREATE VIEW v AS SELECT amount * (1 - amount) AS product, amount / 3 AS third, avg(amount) OVER () AS mean, id / 2 AS half, id div 2 AS whole FROM t;
