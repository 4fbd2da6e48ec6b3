CREATE VIEW v AS SELECT sum(id) AS total, avg(id) AS mean, min(name) AS first_name FROM people;
