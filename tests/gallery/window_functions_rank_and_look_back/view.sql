CREATE VIEW v AS SELECT id, row_number() OVER (PARTITION BY name ORDER BY id) AS place, lag(name) OVER (ORDER BY id) AS before, sum(id) OVER (PARTITION BY name) AS total FROM people;
