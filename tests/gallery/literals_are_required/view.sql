CREATE VIEW v AS SELECT 1 AS one, 'x' AS letter, 1.50 AS decimal_number, true AS yes, NULL AS nothing, DATE '2020-02-29' AS day FROM t;
