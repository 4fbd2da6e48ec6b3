CREATE TABLE orders (id BIGINT, customer STRING COMMENT 'Who ordered.', total DECIMAL(12,2), day DATE, items ARRAY<STRUCT<sku:STRING,count:INT>>, tags MAP<STRING,STRING>);
