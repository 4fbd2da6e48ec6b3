CREATE VIEW v AS SELECT p.id, p.name FROM people p LEFT SEMI JOIN orders o ON p.name = o.customer;
