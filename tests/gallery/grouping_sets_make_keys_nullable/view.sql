CREATE VIEW v AS SELECT id, name, count(*) AS n FROM people GROUP BY id, name GROUPING SETS ((id, name), (id), ());
