CREATE VIEW v AS SELECT 'some' AS word FROM (SELECT count(a) AS n FROM t WHERE a < 0) s;
