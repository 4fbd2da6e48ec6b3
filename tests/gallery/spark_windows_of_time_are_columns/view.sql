-- dialect: spark
CREATE VIEW v AS SELECT window.start AS week, count(*) AS born, first(name IGNORE NULLS) AS one FROM people GROUP BY window(born, '7 days');
