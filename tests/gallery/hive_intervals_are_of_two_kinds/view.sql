CREATE VIEW v AS
SELECT begins + INTERVAL '7' DAY AS ends, begins + INTERVAL 14 MONTH AS renews, at - INTERVAL '-3 01:02:03' DAY TO SECOND AS later, at + INTERVAL '36' HOUR AS reminded
FROM trials;
