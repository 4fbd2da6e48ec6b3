CREATE VIEW v AS SELECT o.id AS order_id, p.id, p.home FROM orders o LEFT JOIN people p ON p.name = o.customer;
