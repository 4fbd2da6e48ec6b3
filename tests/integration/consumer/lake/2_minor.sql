-- Each relation gets something that breaks nobody.
ALTER TABLE shop.orders ADD COLUMNS (coupon STRING COMMENT 'Coupon code used.');
ALTER TABLE shop.payment ADD COLUMNS (refunded BOOLEAN);
ALTER TABLE shop.web_events ADD COLUMNS (campaign STRING);
ALTER TABLE shop.readings ADD COLUMNS (station STRING);

ALTER VIEW mart.gold_customer AS
SELECT customerId, fullName, tier, homeAddress, signupAt, nickname FROM crm.customer WHERE tier = 'GOLD';

ALTER VIEW mart.order_line AS
SELECT o.order_id, o.customer_id, o.placed_at, l.sku, l.quantity, l.unit_price, l.quantity * l.unit_price AS amount, o.coupon
FROM shop.orders o LATERAL VIEW explode(o.lines) t AS l;

ALTER VIEW mart.revenue_by_country AS
SELECT o.shipping.address.country, count(*) AS orders, sum(o.total) AS revenue, avg(o.total) AS average_order, max(o.placed_at) AS last_order
FROM shop.orders o GROUP BY o.shipping.address.country;

ALTER VIEW mart.customer_rank AS
SELECT c.customerId, c.fullName, c.tier, o.total,
       row_number() OVER (PARTITION BY c.customerId ORDER BY o.placed_at DESC) AS nth_latest,
       sum(o.total) OVER (PARTITION BY c.customerId ORDER BY o.placed_at) AS running_total,
       lag(o.placed_at) OVER (PARTITION BY c.customerId ORDER BY o.placed_at) AS previous_order,
       c.nickname
FROM crm.customer c JOIN shop.orders o ON CAST(c.customerId AS STRING) = o.customer_id;

ALTER VIEW mart.unpaid AS
SELECT o.order_id, o.total, p.amount, p.currency, o.total - coalesce(p.amount, 0) AS open_amount,
       CASE WHEN p.amount IS NULL THEN 'none' WHEN p.amount < o.total THEN 'part' ELSE 'all' END AS payment_state,
       p.refunded
FROM shop.orders o LEFT JOIN shop.payment p ON o.order_id = p.order_id;

ALTER VIEW mart.shipping_stats AS
SELECT shipping, count(DISTINCT order_id) AS orders, collect_set(customer_id) AS buyers, max(placed_at) AS last_sold,
       named_struct('min', min(total), 'max', max(total)) AS price_range, max(coupon) AS any_coupon
FROM shop.orders GROUP BY shipping;

ALTER VIEW mart.last_interaction AS
SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY customerId ORDER BY happenedAt DESC) AS rn FROM crm.interaction) t WHERE rn = 1;
