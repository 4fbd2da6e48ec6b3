CREATE VIEW v AS SELECT name, sum(id) AS total, max(born) AS youngest FROM people GROUP BY name;
