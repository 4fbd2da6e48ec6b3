SELECT t1.`Name` AS `Name`, CAST(sum(t1.`Id`) AS BIGINT) AS `total`, CAST(max(t1.`Born`) AS DATE) AS `youngest` FROM `default`.`people` AS t1 GROUP BY t1.`Name`
