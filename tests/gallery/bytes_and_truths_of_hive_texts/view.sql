CREATE VIEW v AS
SELECT CAST(word AS BOOLEAN) AS is_true, CAST(code AS BOOLEAN) AS is_on, unbase64(word) AS bytes, from_utc_timestamp(1583884800000, 'PST') AS at, xpath(word, 'a/*') AS parts
FROM texts;
