CREATE VIEW v AS SELECT count(*) AS people, count(born) AS dated, count(DISTINCT name) AS names FROM people;
