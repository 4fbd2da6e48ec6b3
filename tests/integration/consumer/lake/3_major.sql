-- A column is renamed, one is dropped, and so is one of a view.
ALTER TABLE shop.orders CHANGE COLUMN gift is_gift BOOLEAN;

ALTER VIEW mart.revenue_by_country AS
SELECT o.shipping.address.country, count(*) AS orders, sum(o.total) AS revenue, max(o.placed_at) AS last_order
FROM shop.orders o GROUP BY o.shipping.address.country;
