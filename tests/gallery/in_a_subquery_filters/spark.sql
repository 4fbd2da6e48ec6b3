SELECT t1.`Id`, t1.`Name` FROM `default`.`people` AS t1 WHERE ((t1.`Name`) IN (SELECT t2.`customer` AS `c0` FROM `default`.`orders` AS t2 WHERE (t2.`total` > CAST(10 AS DECIMAL(12,2)))))
