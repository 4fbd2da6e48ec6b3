SELECT t1.`id` AS `order_id`, t2.`Id`, t2.`Home` FROM `default`.`orders` AS t1 LEFT JOIN `default`.`people` AS t2 ON (t2.`Name` = t1.`customer`)
