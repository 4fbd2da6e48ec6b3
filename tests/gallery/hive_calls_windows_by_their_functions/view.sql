CREATE VIEW v AS
SELECT name, rank() OVER (ORDER BY seconds), sum(seconds) OVER (PARTITION BY team), 1 + max(seconds) OVER (PARTITION BY team), CAST(seconds AS STRING)
FROM runs;
