SELECT t1.`Id`, t1.`Name` FROM `default`.`people` AS t1 LEFT ANTI JOIN `default`.`orders` AS t2 ON (t1.`Name` = t2.`customer`)
