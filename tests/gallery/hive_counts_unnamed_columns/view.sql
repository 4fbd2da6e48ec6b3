CREATE VIEW v AS SELECT id, id + 1, s.b.c, count(*) OVER () FROM t;
