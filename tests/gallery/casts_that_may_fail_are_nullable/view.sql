CREATE VIEW v AS SELECT CAST(id AS STRING) AS text, CAST(name AS INT) AS number, CAST(id AS INT) AS short, CAST(id AS DECIMAL(20,2)) AS exact FROM people;
