CREATE VIEW v AS SELECT `class`, `select`, `from` AS `where` FROM t;
