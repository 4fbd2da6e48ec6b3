CREATE VIEW v AS SELECT name, kind, amount FROM customers LATERAL VIEW stack(2, 'score', score, 'none', 0.0D) s AS kind, amount;
