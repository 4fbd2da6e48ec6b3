SELECT t1.`customer` AS `buyer`, t1.`total` AS `spent` FROM `default`.`orders` AS t1
