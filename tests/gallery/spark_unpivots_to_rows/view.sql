-- dialect: spark
CREATE VIEW v AS SELECT * FROM (SELECT id, CAST(total AS DOUBLE) AS total, CAST(id AS DOUBLE) AS number FROM orders) UNPIVOT (amount FOR kind IN (total, number AS n));
