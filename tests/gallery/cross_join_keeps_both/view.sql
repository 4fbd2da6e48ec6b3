CREATE VIEW v AS SELECT p.name, c.country FROM people p CROSS JOIN customers c;
