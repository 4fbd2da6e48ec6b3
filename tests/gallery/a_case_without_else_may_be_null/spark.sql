SELECT CAST(CASE WHEN (t1.`Id` > 1L) THEN t1.`Name` END AS STRING) AS `some`, CAST(CASE WHEN (t1.`Id` > 1L) THEN t1.`Name` ELSE 'none' END AS STRING) AS `every` FROM `default`.`people` AS t1
