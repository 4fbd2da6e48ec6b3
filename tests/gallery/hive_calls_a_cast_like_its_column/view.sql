CREATE VIEW v AS
SELECT +id, CAST(duration AS INT), CAST(price AS STRING), CAST(price AS DOUBLE), lower(duration), CAST(q.renamed AS BIGINT)
FROM (SELECT id AS renamed, id, duration, price FROM calls) q;
