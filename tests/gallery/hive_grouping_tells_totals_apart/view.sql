CREATE VIEW v AS
SELECT shop, city, GROUPING__ID, grouping(shop) AS all_shops, grouping(shop, city) AS level, sum(amount) AS total
FROM visits
GROUP BY shop, city WITH ROLLUP;
