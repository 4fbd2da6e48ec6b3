CREATE VIEW v AS
SELECT o.customer AS buyer, shipping.city, max(o.placed_at) AS last_sold, max(CAST(placed_at AS DATE)) AS last_day,
       max(upper(o.customer)) AS shouted, nullif(max(total), 0) AS most, sum(total) AS spent, lag(max(placed_at)) OVER (ORDER BY o.customer) AS before,
       max(l.last_sold) AS latest
FROM orders o JOIN latest l ON o.customer = l.customer
GROUP BY o.customer, shipping.city;
