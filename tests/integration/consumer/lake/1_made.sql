-- What a newcomer finds, beside the Avro tables of the .avsc files and the wide Hive table of lake.py.

CREATE TABLE shop.orders (
  order_id BIGINT NOT NULL COMMENT 'Number of the order.',
  customer_id STRING COMMENT 'Customer who ordered.',
  status STRING COMMENT 'new, paid, shipped or cancelled',
  placed_at TIMESTAMP COMMENT 'When the order was placed.',
  shipped_at TIMESTAMP_NTZ,
  total DECIMAL(12, 2) COMMENT 'Sum of the lines, with tax, in EUR.',
  shipping STRUCT<method: STRING COMMENT 'carrier and speed', fee: DECIMAL(8, 2), address: STRUCT<street: STRING, city: STRING, country: STRING>> COMMENT 'How it is sent.',
  lines ARRAY<STRUCT<sku: STRING COMMENT 'Stock keeping unit.', quantity: INT, unit_price: DECIMAL(10, 2), discounts: ARRAY<DECIMAL(5, 2)>>> COMMENT 'What was ordered.',
  tags MAP<STRING, STRING>,
  stock_by_warehouse MAP<INT, BIGINT>,
  gift BOOLEAN
) USING parquet COMMENT 'Orders of the web shop.' PARTITIONED BY (status);

CREATE TABLE shop.payment (
  payment_id STRING, order_id BIGINT, amount DECIMAL(12, 2), currency CHAR(3), paid_at TIMESTAMP, provider VARCHAR(40),
  raw BINARY, rating FLOAT, attempts SMALLINT, installments INTERVAL MONTH, processing INTERVAL DAY TO SECOND
) USING parquet;

CREATE TABLE shop.web_events (
  event_id STRING COMMENT 'UUID of the event',
  `time` TIMESTAMP,
  `user` STRUCT<id: STRING, anonymous: BOOLEAN>,
  device STRUCT<os: STRING, screen_size: STRUCT<width: INT, height: INT>>,
  page STRING,
  props MAP<STRING, STRUCT<value: STRING, ts: TIMESTAMP>>,
  `größe` INT,
  `from` STRING, `class` STRING, `None` INT, `self` STRING, `to_dict` STRING, `order date` DATE, `import` BOOLEAN
) USING parquet PARTITIONED BY (page);

CREATE VIEW mart.gold_customer COMMENT 'Customers of the gold tier.' AS
SELECT customerId, fullName, tier, homeAddress, signupAt FROM crm.customer WHERE tier = 'GOLD';

CREATE VIEW mart.order_line AS
SELECT o.order_id, o.customer_id, o.placed_at, l.sku, l.quantity, l.unit_price, l.quantity * l.unit_price AS amount
FROM shop.orders o LATERAL VIEW explode(o.lines) t AS l;

CREATE VIEW mart.revenue_by_country (country COMMENT 'country of delivery', orders COMMENT 'how many', revenue COMMENT 'sum in EUR', average_order) AS
SELECT o.shipping.address.country, count(*), sum(o.total), avg(o.total) FROM shop.orders o GROUP BY o.shipping.address.country;

CREATE VIEW mart.customer_rank AS
SELECT c.customerId, c.fullName, c.tier, o.total,
       row_number() OVER (PARTITION BY c.customerId ORDER BY o.placed_at DESC) AS nth_latest,
       sum(o.total) OVER (PARTITION BY c.customerId ORDER BY o.placed_at) AS running_total,
       lag(o.placed_at) OVER (PARTITION BY c.customerId ORDER BY o.placed_at) AS previous_order
FROM crm.customer c JOIN shop.orders o ON CAST(c.customerId AS STRING) = o.customer_id;

CREATE VIEW mart.unpaid COMMENT 'Open amounts by order.' AS
SELECT o.order_id, o.total, p.amount, p.currency, o.total - coalesce(p.amount, 0) AS open_amount,
       CASE WHEN p.amount IS NULL THEN 'none' WHEN p.amount < o.total THEN 'part' ELSE 'all' END AS payment_state
FROM shop.orders o LEFT JOIN shop.payment p ON o.order_id = p.order_id;

CREATE VIEW mart.shipping_stats AS
SELECT shipping, count(DISTINCT order_id) AS orders, collect_set(customer_id) AS buyers, max(placed_at) AS last_sold,
       named_struct('min', min(total), 'max', max(total)) AS price_range
FROM shop.orders GROUP BY shipping;

CREATE VIEW mart.last_interaction AS
SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY customerId ORDER BY happenedAt DESC) AS rn FROM crm.interaction) t WHERE rn = 1;
