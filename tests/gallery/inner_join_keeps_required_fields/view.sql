CREATE VIEW v AS SELECT p.id, p.name, o.total FROM people p JOIN orders o ON p.name = o.customer;
