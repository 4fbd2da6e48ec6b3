SELECT 'some' AS `word` FROM (SELECT CAST(count(t1.`a`) AS BIGINT) AS `c0` FROM `default`.`t` AS t1 WHERE (t1.`a` < 0)) AS t2
