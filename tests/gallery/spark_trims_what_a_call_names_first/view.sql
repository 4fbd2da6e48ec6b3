-- dialect: spark
CREATE VIEW v AS SELECT trim('x', s) AS a, trim(BOTH 'x' FROM s) AS b, ltrim('x', s) AS c, trim(TRAILING 'x' FROM s) AS d, btrim(s, 'x') AS e FROM t;
