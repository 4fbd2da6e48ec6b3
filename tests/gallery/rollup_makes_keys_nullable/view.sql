CREATE VIEW v AS SELECT id, name, count(*) AS n, sum(amount) AS total FROM t GROUP BY id, name WITH ROLLUP;
