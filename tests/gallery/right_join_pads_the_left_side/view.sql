CREATE VIEW v AS SELECT p.id, o.total FROM people p RIGHT OUTER JOIN orders o ON p.name = o.customer;
