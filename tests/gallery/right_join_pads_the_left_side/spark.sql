SELECT t1.`Id`, t2.`total` FROM `default`.`people` AS t1 RIGHT JOIN `default`.`orders` AS t2 ON (t1.`Name` = t2.`customer`)
