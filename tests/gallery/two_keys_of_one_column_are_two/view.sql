-- dialect: spark
CREATE VIEW v AS SELECT a, b, count(*) AS n FROM (SELECT id AS a, id AS b FROM people) p GROUP BY a, b GROUPING SETS ((a), (a, b));
