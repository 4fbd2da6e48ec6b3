CREATE VIEW v AS SELECT id, name FROM people WHERE name IN (SELECT customer FROM orders WHERE total > 10);
