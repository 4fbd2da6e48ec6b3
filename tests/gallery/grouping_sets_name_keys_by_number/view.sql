-- dialect: spark
CREATE VIEW v AS SELECT id, name, count(*) AS n FROM people GROUP BY id, 2 GROUPING SETS ((1), (name), (id, 2));
