CREATE DATABASE shop;
CREATE TABLE shop.orders (id BIGINT, customer STRING COMMENT 'who pays', total DECIMAL(10, 2));
CREATE VIEW shop.revenue AS
SELECT customer, COUNT(*) AS orders, SUM(total) AS total FROM shop.orders GROUP BY customer;
