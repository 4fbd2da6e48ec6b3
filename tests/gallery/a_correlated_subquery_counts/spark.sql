SELECT t1.`Name` AS `name`, (SELECT count(1) AS `c0` FROM `default`.`orders` AS t2 WHERE (t2.`customer` = t1.`Name`)) AS `orders` FROM `default`.`people` AS t1
