CREATE TABLE orders (id BIGINT, customer STRING COMMENT 'Who ordered.', total DECIMAL(12,2), day DATE, place STRUCT<city:STRING,zip:STRING>);
