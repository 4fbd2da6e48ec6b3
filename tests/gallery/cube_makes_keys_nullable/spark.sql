SELECT t1.`Id` AS `Id`, t1.`Name` AS `Name`, CAST(count(1) AS BIGINT) AS `n` FROM `default`.`people` AS t1 GROUP BY t1.`Id`, t1.`Name` GROUPING SETS ((t1.`Id`, t1.`Name`), (t1.`Id`), (t1.`Name`), ())
