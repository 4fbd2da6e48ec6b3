CREATE VIEW v AS SELECT customer, sum(total) AS spent FROM orders GROUP BY customer HAVING sum(total) > 100;
