-- dialect: spark
CREATE VIEW v AS WITH RECURSIVE days(id, day, n) MAX RECURSION LEVEL 7 AS (
  SELECT id, day, 1 FROM orders
  UNION ALL
  SELECT id, date_add(day, 1), n + 1 FROM days WHERE n < 5)
SELECT id, day, n FROM days;
