CREATE VIEW v AS SELECT coalesce(born, DATE '1970-01-01') AS born, coalesce(home.zip, NULL) AS zip, nvl(name, 'none') AS name FROM people;
