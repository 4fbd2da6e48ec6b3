-- dialect: trino
CREATE VIEW v AS
SELECT upper(name) AS name, name || '!' AS loud, substr(name, -3) AS tail, split(name, ' ') AS words,
  regexp_extract(name, '([A-Z])\.', 1) AS initial, address.city, ROW(1, 'x') AS pair, element_at(tags, 'a') AS a,
  transform_values(tags, (k, n) -> n + 1) AS more, TRY_CAST(name AS integer) AS number,
  date_add('month', 1, born) AS next, seen - INTERVAL '1' HOUR AS before, year(born) AS year, nullif(name, '') AS known
FROM people
WHERE born > DATE '1900-01-01' AND name LIKE '\%' ESCAPE '\'
