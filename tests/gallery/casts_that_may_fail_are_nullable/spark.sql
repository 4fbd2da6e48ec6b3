SELECT CAST(t1.`Id` AS STRING) AS `text`, CAST(t1.`Name` AS INT) AS `number`, CAST(t1.`Id` AS INT) AS `short`, CAST(t1.`Id` AS DECIMAL(20,2)) AS `exact` FROM `default`.`people` AS t1
