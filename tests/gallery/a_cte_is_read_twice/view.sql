CREATE VIEW v AS WITH big AS (SELECT id, amount FROM t WHERE amount > 10) SELECT a.id, b.amount FROM big a JOIN big b ON a.id = b.id;
