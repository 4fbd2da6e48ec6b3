CREATE VIEW v AS SELECT id, name FROM people ORDER BY concat(name, ' LIMIT ') LIMIT 10;
