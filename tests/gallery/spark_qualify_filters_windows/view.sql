-- dialect: spark
CREATE VIEW v AS
SELECT id, shop, rank() OVER by_amount AS place
FROM visits
WINDOW by_amount AS (PARTITION BY shop ORDER BY amount DESC)
QUALIFY place <= 3 AND count(*) OVER (PARTITION BY shop) > 10;
