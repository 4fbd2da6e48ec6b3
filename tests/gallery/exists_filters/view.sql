CREATE VIEW v AS SELECT p.id FROM people p WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer = p.name);
