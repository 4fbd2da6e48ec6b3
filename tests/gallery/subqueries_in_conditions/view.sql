CREATE VIEW v AS SELECT id, (SELECT max(ratio) FROM u WHERE u.id = t.id) AS top FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id) AND id NOT IN (SELECT id FROM u WHERE ratio > 1);
