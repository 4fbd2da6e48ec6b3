-- dialect: spark
CREATE VIEW v AS SELECT p.name, (SELECT count(*) FROM orders o WHERE o.customer = p.name) AS orders FROM people p;
