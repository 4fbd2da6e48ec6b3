-- dialect: spark
CREATE VIEW v AS SELECT
  CAST(ended - started AS BIGINT) AS seconds,
  extract(HOUR FROM ended - started) AS hours,
  date_part('SECOND', ended - started) AS second,
  day + INTERVAL 1 WEEK 2 DAYS AS later,
  day + INTERVAL '1 02' DAY TO HOUR AS moment,
  started + 2 * INTERVAL 3 MONTHS AS renewal,
  CAST(INTERVAL '1' YEAR + INTERVAL 2 MONTHS AS INT) AS months,
  departs::decimal(10,2) AS second_of_day,
  note COLLATE UNICODE_CI AS note
FROM trips;
