CREATE VIEW v AS
SELECT shop,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY minutes) AS median,
  percentile_disc(0.9) WITHIN GROUP (ORDER BY minutes DESC) AS most_are_longer,
  stddev(minutes) AS spread
FROM visits
GROUP BY shop;
