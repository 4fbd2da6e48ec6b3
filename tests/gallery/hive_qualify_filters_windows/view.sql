CREATE VIEW v AS
SELECT id, shop, rank() OVER (PARTITION BY shop ORDER BY amount DESC) AS place
FROM visits
QUALIFY place <= 3 AND count(*) OVER (PARTITION BY shop) > 10;
