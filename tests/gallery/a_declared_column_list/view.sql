CREATE VIEW v (Number COMMENT 'Declared', Title) AS SELECT id, name FROM t;
