CREATE TABLE orders (
    id BIGINT COMMENT 'Never reused.',
    customer STRING COMMENT 'Who ordered.',
    placed_at TIMESTAMP COMMENT 'When the order was placed.',
    total DECIMAL(12,2) COMMENT 'What the customer owes.',
    shipping STRUCT<city: STRING COMMENT 'Where to.', day: DATE>
);
CREATE VIEW latest AS SELECT customer, max(placed_at) AS last_sold FROM orders GROUP BY customer;
