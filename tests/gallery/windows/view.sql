CREATE VIEW v AS SELECT id, row_number() OVER (PARTITION BY name ORDER BY id) AS rank, lag(name) OVER (ORDER BY id) AS before, sum(amount) OVER (PARTITION BY name) AS total FROM t;
