SELECT t1.`Id` AS `id`, t1.`Name` AS `name` FROM `default`.`people` AS t1 LEFT ANTI JOIN `default`.`orders` AS t2 ON (t1.`Name` = t2.`customer`)
