CREATE VIEW v AS SELECT c, v, concat(c, v) AS joined, coalesce(c, v) AS one FROM t;
