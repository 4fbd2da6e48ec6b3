CREATE VIEW v AS SELECT * FROM people WHERE id > 10 AND name LIKE 'a%';
