SELECT CAST(count(1) AS BIGINT) AS `people`, CAST(count(t1.`Born`) AS BIGINT) AS `dated`, CAST(count(DISTINCT t1.`Name`) AS BIGINT) AS `names` FROM `default`.`people` AS t1
