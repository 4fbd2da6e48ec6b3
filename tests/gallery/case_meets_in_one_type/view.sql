CREATE VIEW v AS SELECT CASE WHEN id > 1 THEN id ELSE 2.5 END AS a, CASE id WHEN 1 THEN 'one' END AS b, if(id = 1, id, name) AS c, coalesce(name, 'none') AS d FROM t;
