SELECT t1.`Id` FROM `default`.`people` AS t1 WHERE EXISTS (SELECT 1 AS `c0` FROM `default`.`orders` AS t2 WHERE (t2.`customer` = t1.`Name`))
